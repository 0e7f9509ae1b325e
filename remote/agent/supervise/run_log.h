#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/records/buffered_journal_writer.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_status.h"

namespace trainyard::agent {

/// Writes the stream "run" and state.json, which always agree; does not touch state.json once it describes a
/// newer attempt. A full disk must not end the run, so records are queued until they can be written; errors
/// are reported in supervisor.log. The final record cannot wait: a reserve on the disk is released for it.
class RunLog {
public:
    static Result<RunLog> open(const RunFolder& folder, std::uint32_t attempt, std::int64_t steps);

    /// Attributes all later records to this attempt.
    void beginAttempt(std::uint32_t attempt);
    void enter(RunState state, const std::string& reason = {});
    void event(const EventRecord& record);
    /// Allocates the reserve again after freeReserve().
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
