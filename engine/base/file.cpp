#include "engine/base/file.h"

#include <cerrno>
#include <fcntl.h>
#include <random>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Error writeError(const fs::path& path, int errorNumber)
{
    Error error = systemError(ErrorKind::Failed, "cannot write " + path.string(), errorNumber);
    if (errorNumber == ENOSPC) {
        std::error_code ignored;
        const auto space = fs::space(path.parent_path(), ignored);
        error.hint = fmt::format("free space on the disk of {} ({} bytes left) or choose another folder",
                                 path.parent_path().string(), ignored ? 0 : space.available);
    }
    return error;
}

fs::path temporaryFor(const fs::path& path)
{
    return path.parent_path() / fmt::format(".{}{}", path.filename().string(), temporarySuffix());
}

} // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept
{
    if (this != &other) {
        reset();
        m_fd = std::exchange(other.m_fd, -1);
    }
    return *this;
}

void FileDescriptor::reset()
{
    if (m_fd >= 0)
        ::close(m_fd);
    m_fd = -1;
}

Result<std::string> readFile(const fs::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid())
        return systemError(ErrorKind::BadInput, "cannot open " + path.string(), errno);
    std::string content;
    std::string buffer(1 << 16, '\0');
    for (;;) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got == 0)
            return content;
        if (got > 0)
            content.append(buffer.data(), static_cast<std::size_t>(got));
        else if (errno != EINTR)
            return systemError(ErrorKind::BadInput, "cannot read " + path.string(), errno);
    }
}

Status writeAll(int fd, std::string_view bytes, const fs::path& nameForErrors)
{
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(put));
        else if (errno != EINTR)
            return writeError(nameForErrors, errno);
    }
    return {};
}

Status syncPath(const fs::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid() || ::fsync(file.get()) != 0)
        return writeError(path, errno);
    return {};
}

/// The new folders' names survive a power cut, where their file system can promise that.
Status makeFolder(const fs::path& path)
{
    std::vector<fs::path> changed;
    std::error_code error;
    for (fs::path folder = path; !folder.empty() && !fs::exists(folder, error); folder = folder.parent_path())
        changed.push_back(folder.has_parent_path() ? folder.parent_path() : fs::path("."));
    fs::create_directories(path, error);
    if (error)
        return failed("cannot create the folder " + path.string() + ": " + error.message());
    for (const fs::path& folder : changed)
        (void)syncPath(folder);
    return {};
}

Status publishAtomically(const fs::path& path, const std::function<Status(const fs::path& temporary)>& write)
{
    const fs::path temporary = temporaryFor(path);
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    Status status = write(temporary);
    if (status.ok())
        status = syncTree(temporary);
    if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0)
        status = writeError(path, errno);
    if (!status.ok()) {
        fs::remove_all(temporary, ignored);
        return status;
    }
    return syncPath(path.parent_path().empty() ? fs::path(".") : path.parent_path());
}

Status writeFileAtomically(const fs::path& path, std::string_view content)
{
    return publishAtomically(path, [&](const fs::path& temporary) -> Status {
        FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        if (!file.valid())
            return writeError(temporary, errno);
        return writeAll(file.get(), content, temporary);
    });
}

bool isPlainName(std::string_view name)
{
    if (name.empty() || name == "." || name == "..")
        return false;
    for (const char c : name) {
        if (c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return false;
    }
    return true;
}

Status syncTree(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(path, error))) {
        for (const auto& entry : fs::directory_iterator(path, error))
            TRAINYARD_TRY_STATUS(syncTree(entry.path()));
    }
    return syncPath(path);
}

std::string temporarySuffix()
{
    std::random_device random;
    return fmt::format(".tmp-{}-{:08x}", ::getpid(), random());
}

} // namespace trainyard
