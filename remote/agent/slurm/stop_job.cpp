#include "remote/agent/slurm/stop_job.h"

#include <thread>

#include "remote/agent/runs/run_status.h"
#include "remote/agent/slurm/queue_watch.h"
#include "remote/agent/slurm/slurm_control.h"
#include "remote/agent/slurm/slurm_job.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAgain{500};
constexpr std::chrono::seconds kSupervisorPatience{10}; ///< beyond the grace period
constexpr std::chrono::seconds kSlurmPatience{90};      ///< for its nodes to clear up after a cancellation
constexpr std::chrono::seconds kWatchPatience{15};      ///< to say how it ended

/// Looks at the job until it has ended. False when `patience` is over, Unreachable when Slurm does not answer
/// then; `each` is called with what was seen.
template <typename Each>
Result<bool> waitForEnd(const RunFolder& folder, const SlurmJob& job, std::chrono::milliseconds patience,
                        Each each)
{
    const auto deadline = SteadyClock::now() + patience;
    for (;;) {
        const auto facts = askJob(folder, job);
        if (facts.ok() && (!*facts || phaseOf(**facts) == JobPhase::Ended))
            return true;
        if (SteadyClock::now() >= deadline)
            return facts.ok() ? Result<bool>(false) : Result<bool>(facts.error());
        if (facts.ok())
            TRAINYARD_TRY_STATUS(each(**facts));
        std::this_thread::sleep_for(kLookAgain);
    }
}

/// Lets a job that was asked end by itself. A supervisor that is only starting may take the request for an
/// old one and remove it, so it is made again. The signal tells it at once; a file may take half a minute
/// from node to node.
Result<bool> letEnd(const RunFolder& folder, const SlurmJob& job, const StopOptions& options)
{
    bool warned = false;
    bool cancelled = false;
    return waitForEnd(folder, job, options.grace + kSupervisorPatience, [&](const JobFacts& facts) -> Status {
        (void)askToEnd(folder, options); // where it cannot be written again, the signal tells it
        if (phaseOf(facts) == JobPhase::Waiting)
            return std::exchange(cancelled, true) ? Status() : cancelJob(job.id);
        // Its batch step may not have begun: a warning that nobody hears is no failure.
        [[maybe_unused]] const Status tried = std::exchange(warned, true) ? Status() : warnJob(job.id);
        return {};
    });
}

Result<bool> end(const RunFolder& folder, const SlurmJob& job, const StopOptions& options)
{
    const Status asked = askToEnd(folder, options); // seen also while Slurm's controller is down
    // A full disk takes no request, and has no room for a checkpoint either.
    if (options.checkpoint && asked.ok()) {
        TRAINYARD_TRY(const bool ended, letEnd(folder, job, options));
        if (ended)
            return true;
    }
    TRAINYARD_TRY_STATUS(cancelJob(job.id));
    return waitForEnd(folder, job, kSlurmPatience, [](const JobFacts&) { return Status(); });
}

bool isOver(const RunFolder& folder, const SlurmJob& job)
{
    const auto facts = askJob(folder, job);
    return facts.ok() && (!*facts || phaseOf(**facts) == JobPhase::Ended);
}

/// Slurm gives a job up on nodes that it has lost; what runs there is still to hear of it.
std::vector<std::string> lostNodes(const RunFolder& folder, const SlurmJob& job)
{
    const auto facts = askJob(folder, job);
    if (!facts.ok() || !*facts || (*facts)->nodes.empty())
        return {};
    auto silent = silentNodes((*facts)->nodes);
    return silent.ok() ? std::move(*silent) : std::vector<std::string>();
}

Status letWatchConclude(const RunFolder& folder)
{
    TRAINYARD_TRY([[maybe_unused]] const DetachedStart watch, startQueueWatch(folder)); // it may have died
    const auto deadline = SteadyClock::now() + kWatchPatience;
    while (isQueueWatched(folder) && SteadyClock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return {};
}

} // namespace

Result<StopReport> stopJob(const RunFolder& folder, const StopOptions& options)
{
    const auto job = readSlurmJob(folder);
    if (!job)
        return StopReport{.clean = true};
    const bool wasOver = isOver(folder, *job);
    bool ended = wasOver;
    if (!wasOver) {
        TRAINYARD_TRY(ended, end(folder, *job, options));
    }
    if (ended)
        TRAINYARD_TRY_STATUS(letWatchConclude(folder));
    const auto lost = lostNodes(folder, *job);
    const int killed = wasOver ? 0 : readStatus(folder).value_or(RunStatus{}).killed;
    return StopReport{ended && lost.empty(), killed, lost};
}

Status checkRemovable(const RunFolder& folder)
{
    const auto job = readSlurmJob(folder);
    if (!job)
        return {};
    const Status over = checkIsOver(folder, *job);
    if (over.ok() || over.error().kind != ErrorKind::Unreachable)
        return over;
    const auto status = readStatus(folder);
    return status && isFinal(status->state) ? Status() : over;
}

} // namespace trainyard::agent
