#include "datasets/input/raw_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr int kWaitMs = 100; ///< between two questions whether to stop

} // namespace

std::string nameForMessages(const fs::path& path)
{
    return path == "-" ? "the standard input" : path.string();
}

Result<RawFile> RawFile::open(const fs::path& path, StopAsked stopped)
{
    const bool standardInput = path == "-";
    // O_NONBLOCK: a named pipe opens without a writer, and reading waits for one.
    FileDescriptor descriptor(standardInput ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    RawFile file(std::move(descriptor), nameForMessages(path), std::move(stopped));
    if (!file.m_file.valid()) {
        Error error = systemError(ErrorKind::BadInput, "cannot open " + file.m_name, errno);
        error.hint = "check the path and its read permission";
        return error;
    }
    struct stat facts {};
    if (::fstat(file.m_file.get(), &facts) != 0)
        return systemError(ErrorKind::BadInput, "cannot inspect " + file.m_name, errno);
    if (S_ISDIR(facts.st_mode))
        return badInput(file.m_name + " is a folder", "pass the files in it, as in " + file.m_name + "/*");
    if (S_ISREG(facts.st_mode) && facts.st_size == 0)
        return badInput(file.m_name + " is empty", "its download failed; fetch it again");
    file.m_waits = !S_ISREG(facts.st_mode);
    if (S_ISREG(facts.st_mode) && !standardInput)
        file.m_size = static_cast<std::uint64_t>(facts.st_size);
    return file;
}

Result<std::string_view> RawFile::peek(std::size_t bytes)
{
    while (m_peeked.size() < bytes) {
        const std::size_t before = m_peeked.size();
        m_peeked.resize(bytes);
        const auto got = readFromSystem(std::span(m_peeked).subspan(before));
        m_peeked.resize(before + (got.ok() ? got.value() : 0));
        if (!got.ok())
            return got.error();
        if (got.value() == 0)
            break;
    }
    return std::string_view(m_peeked).substr(0, bytes);
}

Result<std::size_t> RawFile::read(std::span<char> buffer)
{
    std::size_t filled = std::min(buffer.size(), m_peeked.size());
    std::copy_n(m_peeked.begin(), filled, buffer.begin());
    m_peeked.erase(0, filled);
    while (filled < buffer.size()) {
        TRAINYARD_TRY(const std::size_t got, readFromSystem(buffer.subspan(filled)));
        if (got == 0)
            break;
        filled += got;
    }
    m_offset += filled;
    return filled;
}

Status RawFile::seek(std::uint64_t offset)
{
    if (::lseek(m_file.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
        return systemError(ErrorKind::BadInput, "cannot resume in the middle of " + m_name, errno);
    m_peeked.clear();
    m_offset = offset;
    return {};
}

/// Returns when reading would give bytes, the end or an error at once.
Status RawFile::waitForBytes() const
{
    pollfd file{m_file.get(), POLLIN, 0};
    while (!m_stopped()) {
        const int ready = ::poll(&file, 1, kWaitMs);
        if (ready > 0)
            return {};
        if (ready < 0 && errno != EINTR)
            return systemError(ErrorKind::BadInput, "cannot wait for " + m_name, errno);
    }
    return cancelled("stopped while waiting for " + m_name);
}

Result<std::size_t> RawFile::readFromSystem(std::span<char> buffer)
{
    for (;;) {
        if (m_waits)
            TRAINYARD_TRY_STATUS(waitForBytes());
        const ssize_t got = ::read(m_file.get(), buffer.data(), buffer.size());
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN)
            return systemError(ErrorKind::BadInput, "cannot read " + m_name, errno);
    }
}

} // namespace trainyard
