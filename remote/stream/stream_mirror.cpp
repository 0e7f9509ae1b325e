#include "remote/stream/stream_mirror.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/base/units.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kReplayPiece = kMiB;

Result<FileDescriptor> openMirror(const fs::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot open the mirror " + path.string(), errno);
    return file;
}

} // namespace

StreamMirror::StreamMirror(fs::path path, FileDescriptor file, bool writer)
    : m_path(std::move(path)), m_file(std::move(file)), m_writer(writer)
{
}

Result<StreamMirror> StreamMirror::open(const fs::path& path)
{
    TRAINYARD_TRY_STATUS(makeFolder(path.parent_path()));
    TRAINYARD_TRY(FileDescriptor file, openMirror(path));
    const bool writer = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    const int error = writer ? 0 : errno;
    StreamMirror mirror(path, std::move(file), writer);
    if (!writer && error != EWOULDBLOCK) // no other desk: nobody would keep what comes
        mirror.m_writeStatus =
            systemError(ErrorKind::Failed, "cannot lock the mirror " + path.string(), error);
    return mirror;
}

/// Keeps m_lastBytes in step with what the parser took.
void StreamMirror::accept(std::string_view bytes)
{
    m_lastBytes.append(bytes);
    if (m_lastBytes.size() > kComparedBytes)
        m_lastBytes.erase(0, m_lastBytes.size() - kComparedBytes);
}

Result<std::vector<Record>> StreamMirror::replayMore()
{
    while (!m_replayed) {
        std::string piece(kReplayPiece, '\0');
        const ssize_t got = ::pread(m_file.get(), piece.data(), piece.size(), static_cast<off_t>(m_read));
        if (got < 0)
            return systemError(ErrorKind::Failed, "cannot read the mirror " + m_path.string(), errno);
        piece.resize(static_cast<std::size_t>(got));
        m_read += piece.size();
        auto records = m_parser.feed(piece);
        accept(m_parser.completed());
        // The copy of a journal of another version may be the last one there is.
        if (!records.ok() && records.error().kind == ErrorKind::Refused) {
            TRAINYARD_TRY_STATUS(setAside());
            return std::vector<Record>{};
        }
        // Damage ends the replay like the end of the file: what follows it comes from the host again.
        if (!records.ok())
            TRAINYARD_TRY_STATUS(forgetDamage());
        if (!records.ok() || got == 0)
            TRAINYARD_TRY_STATUS(cutTail());
        if (records.ok() && !records->empty())
            return records;
    }
    return std::vector<Record>{};
}

/// A parser that met damage stays broken; a new one reads the good part once more.
Status StreamMirror::forgetDamage()
{
    const std::uint64_t good = validBytes();
    m_parser = JournalParser();
    std::string piece(kReplayPiece, '\0');
    while (validBytes() < good) {
        const auto at = static_cast<off_t>(validBytes());
        const ssize_t got = ::pread(m_file.get(), piece.data(),
                                    std::min<std::uint64_t>(piece.size(), good - validBytes()), at);
        if (got <= 0)
            return systemError(ErrorKind::Failed, "cannot read the mirror " + m_path.string(), errno);
        m_parser.dropPartialFrame();
        TRAINYARD_TRY([[maybe_unused]] const auto seenBefore,
                      m_parser.feed({piece.data(), static_cast<std::size_t>(got)}));
    }
    return {};
}

/// After the replay: file and parser both end at the last whole frame.
Status StreamMirror::cutTail()
{
    m_replayed = true;
    dropPartialFrame();
    if (m_writer && ::ftruncate(m_file.get(), static_cast<off_t>(validBytes())) != 0)
        return systemError(ErrorKind::Failed, "cannot truncate the torn tail of " + m_path.string(), errno);
    return {};
}

Result<std::vector<Record>> StreamMirror::append(std::string_view bytes)
{
    TRAINYARD_CHECK(m_replayed);
    const std::uint64_t before = validBytes();
    auto records = m_parser.feed(bytes);
    const std::string_view valid = m_parser.completed();
    if (m_writer && m_writeStatus.ok() && !valid.empty()) {
        // Seeks each time: a write that failed half-way has moved the position.
        if (::lseek(m_file.get(), static_cast<off_t>(before), SEEK_SET) >= 0)
            m_writeStatus = writeAll(m_file.get(), valid, m_path);
    }
    accept(valid);
    return records;
}

void StreamMirror::dropPartialFrame()
{
    m_parser.dropPartialFrame();
}

Status StreamMirror::setAside()
{
    m_parser = JournalParser();
    m_lastBytes.clear();
    m_replayed = true;
    if (!m_writer)
        return {};
    m_writer = false; // until there is a new file: nothing more may go into the old one
    const fs::path kept = m_path.string() + ".orig";
    if (::rename(m_path.c_str(), kept.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot keep " + kept.string(), errno);
    TRAINYARD_TRY(m_file, openMirror(m_path));
    m_writer = ::flock(m_file.get(), LOCK_EX | LOCK_NB) == 0;
    m_writeStatus = {};
    return {};
}

} // namespace trainyard
