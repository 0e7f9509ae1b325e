#include "engine/base/lock_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

namespace trainyard {

namespace {

constexpr std::chrono::milliseconds kTryAgain{20};

struct flock wholeFile()
{
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    return range;
}

} // namespace

Result<bool> tryLock(int fd)
{
    struct flock range = wholeFile();
    if (::fcntl(fd, F_OFD_SETLK, &range) == 0)
        return true;
    if (errno == EAGAIN || errno == EACCES)
        return false;
    return systemError(ErrorKind::Failed, "cannot lock a file", errno);
}

bool isStillNamed(int fd, const std::filesystem::path& path)
{
    struct stat open {};
    struct stat named {};
    return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
           open.st_dev == named.st_dev;
}

Result<std::optional<LockFile>> LockFile::tryAcquire(const std::filesystem::path& path)
{
    for (;;) {
        FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file.valid())
            return systemError(ErrorKind::Failed, "cannot open the lock " + path.string(), errno);
        const auto locked = tryLock(file.get());
        if (!locked.ok())
            return locked.error().in(path.string());
        if (!*locked)
            return std::optional<LockFile>();
        if (isStillNamed(file.get(), path))
            return std::optional<LockFile>(LockFile(std::move(file)));
    }
}

Result<LockFile> LockFile::acquire(const std::filesystem::path& path, std::chrono::milliseconds patience)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        TRAINYARD_TRY(auto lock, tryAcquire(path));
        if (lock)
            return std::move(*lock);
        if (std::chrono::steady_clock::now() >= deadline)
            return failed(path.string() + " is locked by another process");
        std::this_thread::sleep_for(kTryAgain);
    }
}

bool LockFile::isHeld(const std::filesystem::path& path)
{
    const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    struct flock range = wholeFile();
    return file.valid() && ::fcntl(file.get(), F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

} // namespace trainyard
