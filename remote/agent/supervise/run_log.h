#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/records/buffered_journal_writer.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_status.h"

namespace trainyard::agent {

/// Writes the stream "run" and state.json, which always agree; but leaves state.json alone once it describes
/// a newer attempt. A full disk must not end the run, so a record that cannot be written is queued until it
/// can be; errors are reported in supervisor.log. The final record cannot wait: a reserve on the disk makes
/// space for it.
class RunLog {
public:
    static Result<RunLog> open(const RunFolder& folder, std::uint32_t attempt, std::int64_t steps);

    /// The supervisor continues with this attempt.
    void beginAttempt(std::uint32_t attempt);
    void enter(RunState state, const std::string& reason = {});
    void event(const EventRecord& record);
    /// Restores the reserve after it made space for something else.
    void holdReserve();
    /// Records that the run is alive, with the last finished step.
    void heartbeat();

    void setStep(std::int64_t step) { m_status.step = step; }
    void setKilled(int processes) { m_status.killed = processes; }
    const RunStatus& status() const { return m_status; }

private:
    RunLog(RunFolder folder, BufferedJournalWriter journal)
        : m_folder(std::move(folder)), m_journal(std::move(journal))
    {
    }
    void append(const Payload& payload);
    void write(Durability durability);

    RunFolder m_folder;
    BufferedJournalWriter m_journal;
    RunStatus m_status;
};

} // namespace trainyard::agent
