#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/records/journal.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_status.h"

namespace trainyard::agent {

/// The stream "run" and state.json, which always say the same. The run must not end because its disk is full,
/// so a record that cannot be written is only reported in supervisor.log.
class RunLog {
public:
    static Result<RunLog> open(const RunFolder& folder, std::uint32_t attempt, std::int64_t steps);

    void enter(RunState state, const std::string& reason = {});
    void event(const EventRecord& record);
    /// A sign of life with the last finished step.
    void heartbeat();

    void setStep(std::int64_t step) { m_status.step = step; }
    void setKilled(int processes) { m_status.killed = processes; }
    const RunStatus& status() const { return m_status; }

private:
    RunLog(RunFolder folder, JournalWriter journal)
        : m_folder(std::move(folder)), m_journal(std::move(journal))
    {
    }
    void append(const Payload& payload);

    RunFolder m_folder;
    JournalWriter m_journal;
    RunStatus m_status;
};

} // namespace trainyard::agent
