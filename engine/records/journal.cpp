#include "engine/records/journal.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/records/codec.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "TYJOURN1";
constexpr std::size_t kFrameHead = 8;                  // length, checksum
constexpr std::size_t kRecordHead = 1 + 4 + 8 + 8 + 8; // type, attempt, sequence, two clocks
constexpr std::uint32_t kLargestFrame = 16u << 20;     // longer = damage, not data

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
        return failed("another process writes the journal " + path.string(),
                      "stop it first; it holds the file's lock");
    if (::lseek(file.get(), 0, SEEK_END) == 0) {
        TRAINYARD_TRY_STATUS(writeAll(file.get(), kMagic, path));
        return JournalWriter(std::move(file), path, attempt, 1, clock);
    }
    TRAINYARD_TRY(const std::string bytes, readFile(path));
    JournalParser parser;
    TRAINYARD_TRY(const auto records, parser.feed(bytes));
    if (::ftruncate(file.get(), static_cast<off_t>(parser.validBytes())) != 0)
        return systemError(ErrorKind::Failed, "cannot cut the torn tail of " + path.string(), errno);
    if (parser.validBytes() == 0)
        TRAINYARD_TRY_STATUS(writeAll(file.get(), kMagic, path));
    return JournalWriter(std::move(file), path, attempt, parser.lastSequence() + 1, clock);
}

Result<std::uint64_t> JournalWriter::append(const Payload& payload)
{
    const off_t before = ::lseek(m_file.get(), 0, SEEK_END);
    const Status written =
        writeAll(m_file.get(), encodeFrame({m_attempt, m_nextSequence, m_clock->now(), payload}), m_path);
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

Result<bool> JournalParser::parseHeader()
{
    const std::string_view rest = std::string_view(m_pending).substr(m_at);
    const std::size_t common = std::min(rest.size(), kMagic.size());
    if (rest.substr(0, common) != kMagic.substr(0, common))
        return badInput("not a Trainyard journal, or one of another version",
                        fmt::format("expected it to start with {}", kMagic));
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
    if (length < kRecordHead || length > kLargestFrame)
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
    m_pending.erase(0, m_at);
    m_at = 0;
    // Records before the damage are still good; the error shows on the next call.
    if (m_broken && records.empty())
        return *m_broken;
    return records;
}

Result<std::size_t> wholeFrames(std::string_view bytes, std::uint64_t offset)
{
    std::size_t at = 0;
    if (offset == 0) {
        if (bytes.size() < kMagic.size())
            return at;
        if (!bytes.starts_with(kMagic))
            return failed("not a Trainyard journal, or one of another version");
        at = kMagic.size();
    }
    while (bytes.size() - at >= kFrameHead) {
        const auto length = WireReader(bytes.substr(at)).number<std::uint32_t>();
        if (length < kRecordHead || length > kLargestFrame)
            return failed(fmt::format("no record of the journal starts at byte {}", offset + at));
        if (bytes.size() - at < kFrameHead + length)
            break;
        at += kFrameHead + length;
    }
    return at;
}

Result<JournalContent> readJournal(const fs::path& file)
{
    TRAINYARD_TRY(const std::string bytes, readFile(file));
    JournalParser parser;
    auto records = parser.feed(bytes);
    if (!records.ok())
        return records.error().in(file.string());
    return JournalContent{std::move(records).value(), parser.validBytes()};
}

} // namespace trainyard
