#include "remote/agent/runs/journal_tail.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/records/journal.h"

namespace trainyard::agent {

Error JournalTail::lost(int errorNumber)
{
    m_file.reset();
    return systemError(ErrorKind::Failed, "cannot read " + m_path.string(), errorNumber);
}

Result<std::string> JournalTail::read(std::size_t most)
{
    // Links are not followed, and a FIFO in this place must not hang the session.
    if (!m_file.valid())
        m_file = FileDescriptor(::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!m_file.valid())
        return errno == ENOENT && m_offset == 0
                   ? Result<std::string>(std::string())
                   : systemError(ErrorKind::Failed, "cannot follow " + m_path.string(), errno);
    struct stat info {};
    if (::fstat(m_file.get(), &info) != 0)
        return lost(errno);
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (size < m_offset)
        return failed(
            fmt::format("{} has {} bytes, fewer than the {} requested", m_path.string(), size, m_offset),
            "fetch the stream from its start");
    const FileStamp stamp{size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    if (stamp == m_nothing) // a torn or damaged tail, however long, is not read over and over
        return std::string();
    std::string bytes(std::min<std::uint64_t>(most, size - m_offset), '\0');
    const ssize_t got = ::pread(m_file.get(), bytes.data(), bytes.size(), static_cast<off_t>(m_offset));
    if (got < 0)
        return lost(errno);
    bytes.resize(static_cast<std::size_t>(got));
    const auto frames = completeFrames(bytes, m_offset);
    const std::size_t whole = frames.ok() ? *frames : 0;
    if (frames.ok() && whole == 0 && bytes.size() == most) // one record that is longer than the piece
        return read(2 * most);
    m_nothing = whole == 0 ? stamp : FileStamp();
    if (!frames.ok())
        return frames.error();
    bytes.resize(whole);
    m_offset += whole;
    return bytes;
}

} // namespace trainyard::agent
