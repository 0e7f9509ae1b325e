#include "app/exchange/event_file.h"

#include <cerrno>
#include <cmath>

#include <fcntl.h>

#include "app/exchange/masked_crc.h"
#include "engine/base/mapped_file.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace {

constexpr std::size_t kHeadBytes = 12;
constexpr std::size_t kCrcBytes = 4;
constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::uint64_t kTellBytes = 4 << 20; ///< between words on how far it is

enum class Found { Record, Torn, Damage };

/// The record at the beginning of `rest`.
Found findRecord(std::string_view rest, std::string_view& message)
{
    if (rest.size() < kHeadBytes)
        return Found::Torn;
    WireReader head(rest);
    const auto length = head.number<std::uint64_t>();
    if (head.number<std::uint32_t>() != maskedCrc32c(rest.substr(0, sizeof length)))
        return Found::Damage;
    rest.remove_prefix(kHeadBytes);
    if (length > rest.size() || rest.size() - length < kCrcBytes)
        return Found::Torn;
    message = rest.substr(0, length);
    return WireReader(rest.substr(length)).number<std::uint32_t>() == maskedCrc32c(message) ? Found::Record
                                                                                            : Found::Damage;
}

} // namespace

Result<EventFileEnd> readEventFile(const std::filesystem::path& file,
                                   const std::function<void(const EventMessage&)>& take,
                                   const std::function<bool(double share)>& goesOn)
{
    TRAINYARD_TRY(const auto mapped, MappedFile::open(file));
    const std::string_view all = mapped->bytes();
    EventFileEnd end;
    std::uint64_t told = 0;
    while (end.bytes < all.size()) {
        std::string_view message;
        const Found found = findRecord(all.substr(end.bytes), message);
        const auto event = found == Found::Record ? parseEvent(message) : std::nullopt;
        end.isTorn = found == Found::Torn;
        end.isDamaged = !end.isTorn && !event;
        if (!event)
            break;
        take(*event);
        end.bytes += kHeadBytes + message.size() + kCrcBytes;
        if (goesOn && end.bytes >= told + kTellBytes) {
            told = end.bytes;
            if (!goesOn(double(end.bytes) / double(all.size())))
                return cancelled("reading " + file.string() + " was stopped");
        }
    }
    return end;
}

Result<EventFileWriter> EventFileWriter::create(const std::filesystem::path& folder, double wallSeconds)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    const auto seconds = std::to_string(std::llround(wallSeconds));
    const auto path = folder / ("events.out.tfevents." + seconds + ".trainyard");
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.valid() && errno == EEXIST)
        return refused(path.string() + " already exists", "name another folder, or remove the old file");
    if (!file.valid())
        return systemError(ErrorKind::BadInput, "cannot write " + path.string(), errno);
    EventFileWriter writer(path, std::move(file));
    TRAINYARD_TRY_STATUS(writer.append(encodeFileVersion(wallSeconds)));
    return writer;
}

Status EventFileWriter::append(std::string_view message)
{
    std::string length;
    WireWriter(length).number(std::uint64_t{message.size()});
    m_buffer += length;
    WireWriter out(m_buffer);
    out.number(maskedCrc32c(length));
    m_buffer += message;
    out.number(maskedCrc32c(message));
    return m_buffer.size() < kBufferBytes ? Status() : flush();
}

Status EventFileWriter::flush()
{
    const std::string bytes = std::exchange(m_buffer, {});
    return writeAll(m_file.get(), bytes, m_path);
}

Status EventFileWriter::finish()
{
    TRAINYARD_TRY_STATUS(flush());
    return syncPath(m_path);
}

} // namespace trainyard
