#include "engine/records/buffered_journal_writer.h"

#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/records/codec.h"

namespace trainyard {

Result<BufferedJournalWriter> BufferedJournalWriter::open(const std::filesystem::path& folder,
                                                          const std::string& stream, std::uint32_t attempt,
                                                          const Clock& clock)
{
    TRAINYARD_TRY(JournalWriter writer, JournalWriter::open(folder, stream, attempt, clock));
    return BufferedJournalWriter(std::move(writer), stream, attempt, clock);
}

Status BufferedJournalWriter::append(const Payload& payload, Worth worth)
{
    const Instant now = m_clock->now();
    if (const Status before = writeWaiting(); !before.ok())
        return wait(payload, now, worth, before.error());
    const Status written = write(payload, now, m_attempt);
    return written.ok() ? Status() : wait(payload, now, worth, written.error());
}

Status BufferedJournalWriter::write(const Payload& payload, const Instant& time, std::uint32_t attempt)
{
    m_writer.beginAttempt(attempt);
    TRAINYARD_TRY([[maybe_unused]] const auto sequence, m_writer.append(payload, time));
    return {};
}

Status BufferedJournalWriter::sync()
{
    if (const Status written = writeWaiting(); !written.ok())
        return written.error().in(fmt::format("{} records are not written yet", m_waiting.size()));
    return m_writer.sync();
}

/// Oldest first; the gap is told behind them.
Status BufferedJournalWriter::writeWaiting()
{
    while (!m_waiting.empty()) {
        const Waiting& oldest = m_waiting.front();
        TRAINYARD_TRY_STATUS(write(oldest.payload, oldest.time, oldest.attempt));
        m_waitingBytes -= oldest.bytes;
        m_waiting.pop_front();
    }
    if (!m_since)
        return {};
    const Instant now = m_clock->now();
    TRAINYARD_TRY_STATUS(write(gap(now), now, m_attempt));
    m_since.reset();
    m_late = m_leftOut = 0;
    return {};
}

Status BufferedJournalWriter::wait(const Payload& payload, const Instant& time, Worth worth, const Error& why)
{
    if (!m_since)
        m_since = time;
    if (worth == Worth::Sample) {
        ++m_leftOut;
        return {};
    }
    const std::size_t bytes = sizeof(Waiting) + encodePayload(payload).size();
    if (m_waitingBytes + bytes > kMaxWaitingBytes)
        return why.in(
            fmt::format("{} of records are already waiting for disk space", formatBytes(m_waitingBytes)));
    m_waiting.push_back({payload, time, m_attempt, bytes});
    m_waitingBytes += bytes;
    ++m_late;
    return {};
}

Payload BufferedJournalWriter::gap(const Instant& now) const
{
    const auto lasted = std::chrono::milliseconds((now.monotonicNs - m_since->monotonicNs) / 1'000'000);
    return EventRecord{
        Severity::Warning,
        "gap",
        fmt::format("\"{}\" could not be written for {} (a full disk?): {} records were written "
                    "late, {} samples are missing",
                    m_stream, formatDuration(lasted), m_late, m_leftOut),
        {},
        0};
}

} // namespace trainyard
