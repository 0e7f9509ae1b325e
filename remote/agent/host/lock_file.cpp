#include "remote/agent/host/lock_file.h"

#include <cerrno>
#include <fcntl.h>

namespace trainyard::agent {

namespace {

struct flock wholeFile()
{
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    return range;
}

} // namespace

bool tryLock(int fd)
{
    struct flock range = wholeFile();
    return ::fcntl(fd, F_OFD_SETLK, &range) == 0;
}

Result<std::optional<LockFile>> LockFile::tryAcquire(const std::filesystem::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot open the lock " + path.string(), errno);
    if (!tryLock(file.get()))
        return std::optional<LockFile>();
    return std::optional<LockFile>(LockFile(std::move(file)));
}

bool LockFile::isHeld(const std::filesystem::path& path)
{
    const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    struct flock range = wholeFile();
    return file.valid() && ::fcntl(file.get(), F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

} // namespace trainyard::agent
