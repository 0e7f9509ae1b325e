#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/records/patient_journal.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_status.h"

namespace trainyard::agent {

/// The stream "run" and state.json, which always say the same; but state.json is left alone once it tells of
/// a newer attempt. The run must not end because its disk is full, so a record that cannot be written waits
/// until it can be; what goes wrong is reported in supervisor.log. The last word cannot wait: a reserve on
/// the disk makes room for it.
class RunLog {
public:
    static Result<RunLog> open(const RunFolder& folder, std::uint32_t attempt, std::int64_t steps);

    /// The supervisor goes on with this attempt.
    void beginAttempt(std::uint32_t attempt);
    void enter(RunState state, const std::string& reason = {});
    void event(const EventRecord& record);
    /// Again, after it made room for something else.
    void holdReserve();
    /// A sign of life with the last finished step.
    void heartbeat();

    void setStep(std::int64_t step) { m_status.step = step; }
    void setKilled(int processes) { m_status.killed = processes; }
    const RunStatus& status() const { return m_status; }

private:
    RunLog(RunFolder folder, PatientJournal journal)
        : m_folder(std::move(folder)), m_journal(std::move(journal))
    {
    }
    void append(const Payload& payload);
    void write(Durability durability);

    RunFolder m_folder;
    PatientJournal m_journal;
    RunStatus m_status;
};

} // namespace trainyard::agent
