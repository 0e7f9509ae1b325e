#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/records/journal.h"
#include "remote/agent/runs/journal_tail.h"

namespace trainyard::agent {

/// Follows the stream that the job writes ("steps" or "prepare") for the supervisor. Reads only bytes added
/// since the last call.
class StreamWatcher {
public:
    StreamWatcher(std::filesystem::path file, std::uint32_t attempt)
        : m_tail(std::move(file), 0), m_attempt(attempt)
    {
    }

    /// Reads new records. Retries unreadable bytes at the next call; a damaged record ends the reading, never
    /// the run.
    void look();

    std::int64_t lastStep() const { return m_lastStep; }
    /// Number of steps finished in this attempt.
    std::int64_t stepsFinished() const { return m_stepsFinished; }
    bool finishedAStep() const { return m_stepsFinished > 0; }
    double lastStepSeconds() const { return m_lastStepSeconds; }
    /// Returns whether the job has written a record in this attempt.
    bool hasStarted() const { return m_started; }
    /// Returns the job's last record in this attempt if it was an error.
    const std::optional<EventRecord>& lastError() const { return m_lastError; }
    /// Returns the job's sentence on why it finished in this attempt; empty = it did not.
    const std::string& whyFinished() const { return m_whyFinished; }

private:
    void take(const Record& record);

    JournalTail m_tail;
    std::uint32_t m_attempt;
    JournalParser m_parser;
    bool m_damaged = false;
    bool m_started = false;
    std::int64_t m_lastStep = 0;
    std::int64_t m_stepsFinished = 0;
    double m_lastStepSeconds = 0;
    std::optional<EventRecord> m_lastError;
    std::string m_whyFinished;
};

} // namespace trainyard::agent
