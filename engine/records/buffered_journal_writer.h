#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "engine/records/journal.h"

namespace trainyard {

/// Writes a stream whose writer must continue when the disk is full (or gone for a while). Records that
/// cannot be written are buffered in memory and written later in order, with their own times; samples are not
/// buffered but dropped and counted. Once the buffer is empty again, an event "gap" reports how long it
/// lasted and what is missing. Not thread-safe.
class BufferedJournalWriter {
public:
    enum class Worth {
        Essential, ///< losses, steps, states, events: never dropped
        Sample     ///< device samples, heartbeats: the next one says as much
    };

    static Result<BufferedJournalWriter> open(const std::filesystem::path& folder, const std::string& stream,
                                              std::uint32_t attempt, const Clock& clock = systemClock());

    /// Failed when an essential record cannot be written and more than kMaxWaitingBytes would be buffered: it
    /// is lost.
    Status append(const Payload& payload, Worth worth = Worth::Essential);
    /// Retries writing the buffer, then makes everything survive a power cut. Failed when the buffer is not
    /// empty.
    Status sync();

    /// Records appended from now on belong to this attempt; buffered ones to the one before.
    void beginAttempt(std::uint32_t attempt) { m_attempt = attempt; }

    bool isWaiting() const { return m_since.has_value(); }

    static constexpr std::size_t kMaxWaitingBytes = 16 * 1024 * 1024;

private:
    struct Waiting {
        Payload payload;
        Instant time;
        std::uint32_t attempt = 0;
        std::size_t bytes = 0;
    };

    BufferedJournalWriter(JournalWriter writer, std::string stream, std::uint32_t attempt, const Clock& clock)
        : m_writer(std::move(writer)), m_stream(std::move(stream)), m_attempt(attempt), m_clock(&clock)
    {
    }
    Status write(const Payload& payload, const Instant& time, std::uint32_t attempt);
    Status writeWaiting();
    Status wait(const Payload& payload, const Instant& time, Worth worth, const Error& why);
    Payload gap(const Instant& now) const;

    JournalWriter m_writer;
    std::string m_stream;
    std::uint32_t m_attempt;
    const Clock* m_clock;
    std::deque<Waiting> m_waiting;
    std::size_t m_waitingBytes = 0;
    std::optional<Instant> m_since; ///< nothing could be written since then
    std::uint64_t m_late = 0;       ///< records that had to wait since then
    std::uint64_t m_leftOut = 0;    ///< samples since then
};

} // namespace trainyard
