#include "engine/records/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/records/codec.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "TYJOURN2";        // the last byte is the version
constexpr std::size_t kFrameHead = 8;                  // length, checksum
constexpr std::size_t kRecordHead = 1 + 4 + 8 + 8 + 8; // type, attempt, sequence, two clocks
constexpr std::uint32_t kMaxFrame = 16u << 20;         // longer = damage, not data
constexpr std::size_t kPiece = 1 << 20;                // of a journal that is read from its start

std::string encodeFrame(const Record& record)
{
    std::string body;
    WireWriter out(body);
    out.number(static_cast<std::uint8_t>(record.payload.index()));
    out.number(record.attempt);
    out.number(record.sequence);
    out.number(record.time.monotonicNs);
    out.number(record.time.wallNs);
    body += encodePayload(record.payload);

    std::string frame;
    WireWriter head(frame);
    head.number(static_cast<std::uint32_t>(body.size()));
    head.number(checksum32(body));
    return frame + body;
}

/// Checks that a journal may start with these bytes, of which there may be fewer than kMagic has. Refused for
/// the file of another version, which is kept as it is, never truncated as damaged; else BadInput.
Status checkMagic(std::string_view start)
{
    const std::string_view magic = kMagic.substr(0, std::min(start.size(), kMagic.size()));
    if (start.starts_with(magic))
        return {};
    const std::string_view name = kMagic.substr(0, kMagic.size() - 1);
    const char version = start.size() < kMagic.size() ? '\0' : start[name.size()];
    if (!start.starts_with(name) || version < '0' || version > '9')
        return badInput("not a Trainyard journal", fmt::format("expected it to start with {}", kMagic));
    return refused(fmt::format("the journal has format version {}; this Trainyard reads version {}", version,
                               kMagic.back()),
                   "read it with the version of Trainyard that wrote it");
}

fs::path damagedPart(const fs::path& journal)
{
    return journal.string() + ".damaged";
}

/// What follows the last good record goes into a file beside the journal: somebody may want to look at it.
Status keepRest(const fs::path& journal, std::uint64_t from)
{
    const FileDescriptor in(::open(journal.c_str(), O_RDONLY | O_CLOEXEC));
    const fs::path kept = damagedPart(journal);
    const FileDescriptor out(
        ::open(kept.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!in.valid() || !out.valid())
        return systemError(ErrorKind::Failed,
                           "cannot save the damaged part of the journal as " + kept.string(), errno);
    std::string piece(kPiece, '\0');
    for (;;) {
        const ssize_t got = ::pread(in.get(), piece.data(), piece.size(), static_cast<off_t>(from));
        if (got == 0)
            return {};
        if (got < 0 && errno != EINTR)
            return systemError(ErrorKind::Failed, "cannot read " + journal.string(), errno);
        if (got > 0)
            TRAINYARD_TRY_STATUS(
                writeAll(out.get(), std::string_view(piece.data(), static_cast<std::size_t>(got)), kept));
        from += static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
    }
}

EventRecord repaired(const Error& damage, const fs::path& journal)
{
    return {Severity::Warning,
            "journal-repaired",
            fmt::format("{}; the rest was saved as {}", damage.message, damagedPart(journal).string()),
            {},
            0};
}

} // namespace

JournalWriter::JournalWriter(FileDescriptor file, fs::path path, std::uint32_t attempt,
                             std::uint64_t nextSequence, const Clock& clock)
    : m_file(std::move(file))
    , m_path(std::move(path))
    , m_attempt(attempt)
    , m_nextSequence(nextSequence)
    , m_clock(&clock)
{
}

Result<JournalWriter> JournalWriter::open(const fs::path& folder, const std::string& stream,
                                          std::uint32_t attempt, const Clock& clock)
{
    TRAINYARD_CHECK(isPlainName(stream));
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    const fs::path path = folder / stream;
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot open the journal " + path.string(), errno);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return failed("another process is writing the journal " + path.string(),
                      "stop it first; it holds the file's lock");
    if (::lseek(file.get(), 0, SEEK_END) == 0) {
        TRAINYARD_TRY_STATUS(writeAll(file.get(), kMagic, path));
        TRAINYARD_TRY_STATUS(syncPath(folder)); // its name survives a power cut as what is synced does
        return JournalWriter(std::move(file), path, attempt, 1, clock);
    }
    TRAINYARD_TRY(const JournalEnd end, scanJournal(path, [](std::vector<Record>) {}));
    if (end.damage && end.validBytes == 0)
        return end.damage->in(path.string());
    if (end.damage)
        TRAINYARD_TRY_STATUS(keepRest(path, end.validBytes));
    if (::ftruncate(file.get(), static_cast<off_t>(end.validBytes)) != 0)
        return systemError(ErrorKind::Failed, "cannot truncate the torn tail of " + path.string(), errno);
    if (end.validBytes == 0)
        TRAINYARD_TRY_STATUS(writeAll(file.get(), kMagic, path));
    JournalWriter writer(std::move(file), path, attempt, end.lastSequence + 1, clock);
    if (end.damage) {
        TRAINYARD_TRY([[maybe_unused]] const auto told, writer.append(repaired(*end.damage, path)));
    }
    return writer;
}

Result<std::uint64_t> JournalWriter::append(const Payload& payload)
{
    return append(payload, m_clock->now());
}

Result<std::uint64_t> JournalWriter::append(const Payload& payload, const Instant& time)
{
    const off_t before = ::lseek(m_file.get(), 0, SEEK_END);
    const Status written =
        writeAll(m_file.get(), encodeFrame({m_attempt, m_nextSequence, time, payload}), m_path);
    if (!written.ok()) {
        if (before < 0 || ::ftruncate(m_file.get(), before) != 0)
            return written.error().in("the journal's tail may be torn");
        return written.error();
    }
    return m_nextSequence++;
}

Status JournalWriter::sync()
{
    if (::fdatasync(m_file.get()) != 0)
        return systemError(ErrorKind::Failed, "cannot sync " + m_path.string(), errno);
    return {};
}

JournalParser::JournalParser(const JournalEnd& parsed)
    : m_validBytes(parsed.validBytes)
    , m_lastSequence(parsed.lastSequence)
    , m_headerSeen(parsed.validBytes > 0)
{
}

Result<bool> JournalParser::parseHeader()
{
    const std::string_view rest = std::string_view(m_pending).substr(m_at);
    TRAINYARD_TRY_STATUS(checkMagic(rest));
    if (rest.size() < kMagic.size())
        return false;
    m_at += kMagic.size();
    m_validBytes += kMagic.size();
    m_headerSeen = true;
    return true;
}

Result<bool> JournalParser::parseFrame(std::vector<Record>& out)
{
    const std::string_view rest = std::string_view(m_pending).substr(m_at);
    if (rest.size() < kFrameHead)
        return false;
    WireReader head(rest);
    const auto length = head.number<std::uint32_t>();
    const auto checksum = head.number<std::uint32_t>();
    if (length < kRecordHead || length > kMaxFrame)
        return failed(
            fmt::format("the journal is damaged at byte {}: frame of {} bytes", m_validBytes, length));
    if (rest.size() < kFrameHead + length)
        return false;
    const std::string_view body = rest.substr(kFrameHead, length);
    if (checksum32(body) != checksum)
        return failed(fmt::format("the journal is damaged at byte {}: wrong checksum", m_validBytes));

    WireReader in(body);
    const auto type = in.number<std::uint8_t>();
    Record record;
    record.attempt = in.number<std::uint32_t>();
    record.sequence = in.number<std::uint64_t>();
    record.time.monotonicNs = in.number<std::int64_t>();
    record.time.wallNs = in.number<std::int64_t>();
    if (record.sequence != m_lastSequence + 1)
        return failed(fmt::format("the journal is damaged at byte {}: record {} follows record {}",
                                  m_validBytes, record.sequence, m_lastSequence));
    if (auto payload = decodePayload(type, body.substr(kRecordHead))) {
        record.payload = std::move(*payload);
        out.push_back(std::move(record));
    }
    m_lastSequence += 1;
    m_at += kFrameHead + length;
    m_validBytes += kFrameHead + length;
    return true;
}

Result<std::vector<Record>> JournalParser::feed(std::string_view bytes)
{
    m_pending.erase(0, m_at);
    m_at = 0;
    if (m_broken)
        return *m_broken;
    m_pending.append(bytes);
    std::vector<Record> records;
    for (;;) {
        const Result<bool> advanced = m_headerSeen ? parseFrame(records) : parseHeader();
        if (!advanced.ok()) {
            m_broken = advanced.error();
            break;
        }
        if (!advanced.value())
            break;
    }
    // Records before the damage are still good; the error shows on the next call.
    if (m_broken && records.empty())
        return *m_broken;
    return records;
}

Result<std::size_t> completeFrames(std::string_view bytes, std::uint64_t offset)
{
    std::size_t at = 0;
    if (offset == 0) {
        if (bytes.size() < kMagic.size())
            return at;
        TRAINYARD_TRY_STATUS(checkMagic(bytes));
        at = kMagic.size();
    }
    while (bytes.size() - at >= kFrameHead) {
        const auto length = WireReader(bytes.substr(at)).number<std::uint32_t>();
        if (length < kRecordHead || length > kMaxFrame)
            return failed(fmt::format("no record of the journal starts at byte {}", offset + at));
        if (bytes.size() - at < kFrameHead + length)
            break;
        at += kFrameHead + length;
    }
    return at;
}

Result<JournalEnd> scanJournal(const fs::path& file, const std::function<void(std::vector<Record>)>& visit,
                               const JournalEnd& from)
{
    const FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!in.valid())
        return systemError(ErrorKind::BadInput, "cannot open " + file.string(), errno);
    if (::lseek(in.get(), static_cast<off_t>(from.validBytes), SEEK_SET) < 0)
        return systemError(ErrorKind::BadInput, "cannot read " + file.string(), errno);
    JournalParser parser(from);
    std::string piece(kPiece, '\0');
    for (;;) {
        const ssize_t got = ::read(in.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return systemError(ErrorKind::BadInput, "cannot read " + file.string(), errno);
        // At the end once more, for damage that came behind good records.
        auto records = parser.feed({piece.data(), static_cast<std::size_t>(got)});
        if (!records.ok())
            return JournalEnd{parser.validBytes(), parser.lastSequence(), records.error()};
        visit(std::move(records).value());
        if (got == 0)
            return JournalEnd{parser.validBytes(), parser.lastSequence(), {}};
    }
}

Result<JournalContent> readJournal(const fs::path& file)
{
    JournalContent content;
    TRAINYARD_TRY(const JournalEnd end, scanJournal(file, [&](std::vector<Record> records) {
                      std::move(records.begin(), records.end(), std::back_inserter(content.records));
                  }));
    if (end.damage && content.records.empty())
        return end.damage->in(file.string());
    content.validBytes = end.validBytes;
    return content;
}

} // namespace trainyard
