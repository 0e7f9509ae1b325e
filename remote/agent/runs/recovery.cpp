#include "remote/agent/runs/recovery.h"

#include <optional>

#include <fmt/format.h>

#include "engine/base/lock_file.h"
#include "engine/records/journal.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/mpi_sessions.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/sweep.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kSweepGrace{2};

bool hasLastWord(const RunFolder& folder, const SupervisorIdentity& supervisor)
{
    const auto status = readStatus(folder);
    return status && status->attempt == supervisor.attempt && isFinal(status->state);
}

std::string reasonFor(const SupervisorIdentity& supervisor, const RunStatus& status, int killed)
{
    if (supervisor.bootId != bootId())
        return fmt::format("{} was restarted during the run", supervisor.host);
    if (status.state == RunState::Stopping && !status.reason.empty())
        return fmt::format("{}; {} was not restarted: resume the run", status.reason, supervisor.host);
    return fmt::format("the supervisor on {} (pid {}) died; {} remaining processes had to be killed",
                       supervisor.host, supervisor.pid, killed);
}

Status writeLastWord(const RunFolder& folder, const RunStatus& status)
{
    freeReserve(folder);
    TRAINYARD_TRY(JournalWriter journal, JournalWriter::open(folder.journal(), "run", status.attempt));
    const EventRecord event{Severity::Error, "supervisor-died", status.reason, {}, status.step};
    const StateRecord state{status.state, status.reason, status.step, status.steps, false};
    for (const Payload& record : {Payload(event), Payload(state)}) {
        if (const auto appended = journal.append(record); !appended.ok())
            return appended.error();
    }
    TRAINYARD_TRY_STATUS(journal.sync());
    return writeStatus(folder, status, Durability::Durable);
}

/// Slurm says how its jobs end.
bool isOfSlurm(const RunFolder& folder)
{
    std::error_code ignored;
    return std::filesystem::exists(folder.slurmJob(), ignored);
}

/// The last supervisor, where it was on this host and left no last word.
std::optional<SupervisorIdentity> abandonedBy(const RunFolder& folder)
{
    auto supervisor = readSupervisor(folder);
    if (isOfSlurm(folder) || !supervisor || supervisor->host != hostName() ||
        hasLastWord(folder, *supervisor))
        return std::nullopt;
    return supervisor;
}

RunStatus lastWordFor(const RunFolder& folder, const SupervisorIdentity& supervisor, int killed)
{
    RunStatus status = readStatus(folder).value_or(RunStatus{});
    const bool asked = isAskedToEnd(folder);
    status.reason = (asked ? "stopped by request; " : "") + reasonFor(supervisor, status, killed);
    status.state = asked ? RunState::Stopped : RunState::Failed;
    status.attempt = supervisor.attempt;
    status.killed = killed;
    return status;
}

} // namespace

bool isSupervised(const RunFolder& folder)
{
    return LockFile::isHeld(folder.supervisorLock());
}

bool isLive(const RunFolder& folder)
{
    if (isSupervised(folder))
        return true;
    const auto status = readStatus(folder);
    return LockFile::isHeld(folder.queueLock()) && !(status && isFinal(status->state));
}

Result<bool> recoverIfAbandoned(const RunFolder& folder)
{
    if (!abandonedBy(folder))
        return false;
    TRAINYARD_TRY(const auto lock, LockFile::tryAcquire(folder.supervisorLock()));
    if (!lock)
        return false;
    // Asked again under the lock: the supervisor may have ended, another agent recovered, or another attempt
    // come and gone, just before.
    const auto supervisor = abandonedBy(folder);
    if (!supervisor)
        return false;
    const SweepResult swept = sweepRun(folder.marker(), 0, kSweepGrace);
    MpiSessions(folder.run()).removeAll();
    TRAINYARD_TRY_STATUS(writeLastWord(folder, lastWordFor(folder, *supervisor, swept.killed)));
    removeRequests(folder);
    return true;
}

} // namespace trainyard::agent
