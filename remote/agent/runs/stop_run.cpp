#include "remote/agent/runs/stop_run.h"

#include <csignal>
#include <thread>

#include "engine/base/lock_file.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/mpi_sessions.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/sweep.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::seconds kSupervisorPatience{
    10}; ///< beyond the grace period, to terminate, kill and sweep
constexpr std::chrono::seconds kTermGrace{2};
constexpr std::chrono::seconds kLaunchPatience{30};

/// False when `condition` still holds after `patience`.
template <typename Condition>
bool waitWhile(const Condition& condition, std::chrono::milliseconds patience)
{
    const auto deadline = SteadyClock::now() + patience;
    while (condition()) {
        if (SteadyClock::now() >= deadline)
            return false;
        std::this_thread::sleep_for(kLookAgain);
    }
    return true;
}

/// False when it is not there any more, or on another host.
bool signalSupervisor(const RunFolder& folder, int signal)
{
    const auto supervisor = readSupervisor(folder);
    return supervisor && supervisor->host == hostName() && supervisor->bootId == bootId() &&
           signalProcess({static_cast<pid_t>(supervisor->pid), supervisor->startTime}, signal);
}

void killSupervisor(const RunFolder& folder)
{
    if (signalSupervisor(folder, SIGKILL))
        waitWhile([&] { return isSupervised(folder); }, kTermGrace);
}

/// Through the supervisor, or in the end without it.
Status endSupervised(const RunFolder& folder, const StopOptions& options, std::chrono::milliseconds patience)
{
    // A full disk takes no request. A signal needs no room, and there is none for a checkpoint either.
    if (const Status asked = askToEnd(folder, options); !asked.ok() && !signalSupervisor(folder, SIGINT))
        return asked.error();
    // A supervisor that was just coming has taken the request for one to an earlier attempt: it is asked
    // again.
    const auto isAsked = options.checkpoint ? isAskedToEnd : isAskedToAbort;
    const auto isAtWork = [&] {
        const bool isThere = isSupervised(folder);
        if (isThere && !isAsked(folder))
            (void)askToEnd(folder, options).ok();
        return isThere;
    };
    if (!waitWhile(isAtWork, patience))
        killSupervisor(folder);
    return {};
}

} // namespace

Result<StopReport> stopRun(const RunFolder& folder, const StopOptions& options)
{
    if (!folder.exists())
        return badInput("there is no run " + folder.run() + " on " + hostName());
    const std::chrono::milliseconds grace = options.checkpoint ? options.grace : std::chrono::milliseconds(0);
    waitWhile([&] { return LockFile::isHeld(folder.launchLock()); }, kLaunchPatience);
    const bool supervised = isSupervised(folder);
    if (supervised)
        TRAINYARD_TRY_STATUS(endSupervised(folder, options, grace + kSupervisorPatience));
    else
        waitUntilGone(folder.marker(), grace); // ranks whose head is told to stop at the same time
    TRAINYARD_TRY(const bool recovered, recoverIfAbandoned(folder));
    if (supervised && !isSupervised(folder))
        removeRequests(folder);
    const SweepResult swept = sweepRun(folder.marker(), 0, kTermGrace);
    if (swept.left == 0)
        MpiSessions(folder.run()).removeAll();
    StopReport report{swept.left == 0, swept.killed};
    if (supervised || recovered)
        report.killed += readStatus(folder).value_or(RunStatus{}).killed;
    return report;
}

} // namespace trainyard::agent
