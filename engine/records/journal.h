#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/records/record.h"

namespace trainyard {

/// Appends records to one stream's file. One writer per stream at a time: create() takes an exclusive lock
/// that ends with the process. Each append is one write(2), so readers see whole frames or a torn tail, never
/// a mix. Not thread-safe.
class JournalWriter {
public:
    /// Opens or creates `folder`/`stream`. A torn tail of an earlier writer is truncated; the sequence
    /// continues where it ended. Everything behind damage is moved to `<stream>.damaged`, and an event
    /// reports it. Failed when another process writes the stream or the file is not a journal.
    static Result<JournalWriter> open(const std::filesystem::path& folder, const std::string& stream,
                                      std::uint32_t attempt, const Clock& clock = systemClock());

    /// Records appended from now on belong to this attempt.
    void beginAttempt(std::uint32_t attempt) { m_attempt = attempt; }
    /// Returns the record's sequence number. A failed append (disk full) leaves the file as it was.
    Result<std::uint64_t> append(const Payload& payload);
    /// As above, for an earlier time.
    Result<std::uint64_t> append(const Payload& payload, const Instant& time);
    /// Makes everything appended so far survive a power cut.
    Status sync();

private:
    JournalWriter(FileDescriptor file, std::filesystem::path path, std::uint32_t attempt,
                  std::uint64_t nextSequence, const Clock& clock);

    FileDescriptor m_file;
    std::filesystem::path m_path;
    std::uint32_t m_attempt;
    std::uint64_t m_nextSequence;
    const Clock* m_clock;
};

/// Where the good part of a journal ends.
struct JournalEnd {
    std::uint64_t validBytes = 0; ///< shorter than the file when its tail is torn or damaged
    std::uint64_t lastSequence = 0;
    std::optional<Error> damage; ///< what is wrong behind validBytes; nullopt for a torn tail
};

/// Turns the bytes of a journal, fed in pieces of any size and from the start, into records.
class JournalParser {
public:
    JournalParser() = default;
    /// Continues behind a part that was parsed before: the first bytes fed are those at its validBytes.
    explicit JournalParser(const JournalEnd& parsed);

    /// Takes more bytes; returns the records that they complete. Records of unknown type are skipped but
    /// counted. After an error nothing more is parsed.
    Result<std::vector<Record>> feed(std::string_view bytes);

    /// Bytes of whole, valid frames (and the file header) so far: where a mirror of the file may be resumed.
    std::uint64_t validBytes() const { return m_validBytes; }
    std::uint64_t lastSequence() const { return m_lastSequence; }
    /// The bytes of the records that the last feed() completed; they end at validBytes(). Valid until the
    /// next call.
    std::string_view completed() const { return std::string_view(m_pending).substr(0, m_at); }
    /// Forgets a started frame: the next bytes fed are those at validBytes().
    void dropPartialFrame()
    {
        m_pending.clear();
        m_at = 0;
    }

private:
    Result<bool> parseHeader();
    /// True when a whole frame was available.
    Result<bool> parseFrame(std::vector<Record>& out);

    std::string m_pending;
    std::size_t m_at = 0; ///< parsed part of m_pending; goes with the next feed()
    std::uint64_t m_validBytes = 0;
    std::uint64_t m_lastSequence = 0;
    bool m_headerSeen = false;
    std::optional<Error> m_broken;
};

/// How many of `bytes`, which start at byte `offset` of a journal, belong to whole frames (or the file's
/// header): what may be passed on, because no writer will cut it any more. Checksums are left to the reader.
/// Failed when no frame starts at that place.
Result<std::size_t> completeFrames(std::string_view bytes, std::uint64_t offset);

/// Reads a journal of any length with little memory, from its start or from the end of an earlier reading:
/// `visit` gets the records, in order, as they are read. BadInput when the file is missing or cannot be read.
Result<JournalEnd> scanJournal(const std::filesystem::path& file,
                               const std::function<void(std::vector<Record>)>& visit,
                               const JournalEnd& from = {});

struct JournalContent {
    std::vector<Record> records;
    std::uint64_t validBytes = 0; ///< shorter than the file when its tail is torn
};

/// A journal from its start; a torn tail is left out. BadInput when the file is missing or not a journal,
/// Refused for one of another version.
Result<JournalContent> readJournal(const std::filesystem::path& file);

} // namespace trainyard
