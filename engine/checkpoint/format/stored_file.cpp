#include "engine/checkpoint/format/stored_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

ErrorKind kindOf(int errorNumber)
{
    const bool isMissing = errorNumber == ENOENT || errorNumber == ENOTDIR || errorNumber == ELOOP;
    return isMissing ? ErrorKind::BadInput : ErrorKind::Failed;
}

} // namespace

StoredFile::StoredFile(fs::path path, FileDescriptor file, std::uint64_t size)
    : m_path(std::move(path)), m_file(std::move(file)), m_size(size)
{
}

Result<StoredFile> StoredFile::open(const fs::path& path)
{
    // O_NONBLOCK: a pipe of that name must not make us wait for its writer.
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info {};
    if (!file.valid() || ::fstat(file.get(), &info) != 0) {
        const int error = errno;
        return error == ENOENT ? badInput(path.string() + " is missing")
                               : systemError(kindOf(error), "cannot open " + path.string(), error);
    }
    if (!S_ISREG(info.st_mode))
        return badInput(path.string() + " is not a file");
    return StoredFile(path, std::move(file), static_cast<std::uint64_t>(info.st_size));
}

Status StoredFile::read(std::uint64_t offset, std::span<std::byte> out) const
{
    while (!out.empty()) {
        const ssize_t got = ::pread(m_file.get(), out.data(), out.size(), static_cast<off_t>(offset));
        if (got == 0)
            return badInput(fmt::format("{} is truncated: it ends at byte {}", m_path.string(), offset));
        if (got < 0 && errno != EINTR)
            return systemError(ErrorKind::Failed, "cannot read " + m_path.string(), errno);
        if (got > 0) {
            offset += static_cast<std::uint64_t>(got);
            out = out.subspan(static_cast<std::size_t>(got));
        }
    }
    return {};
}

Result<std::string> StoredFile::content() const
{
    std::string bytes(m_size, '\0');
    TRAINYARD_TRY_STATUS(read(0, std::as_writable_bytes(std::span(bytes))));
    return bytes;
}

} // namespace trainyard
