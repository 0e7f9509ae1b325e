#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/lock_file.h"
#include "engine/base/result.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/slurm/slurm_job.h"
#include "remote/agent/supervise/run_log.h"

namespace trainyard::agent {

/// Speaks for a run on the login host as long as its batch job does not: says what the queue says while the
/// job waits, also after a requeue, and has the last word about a job that ended without its supervisor's. It
/// takes the supervisor's place for that, lock and stream "run", and gives it back as soon as the job starts,
/// so that the stream has one writer at any time. One per run.
class QueueWatch {
public:
    /// Looks once before it returns. Nothing when the job is watched already.
    static Result<std::unique_ptr<QueueWatch>> start(const RunFolder& folder);
    /// Returns when the job is over and everything is said, or the run's directory is gone.
    void run();

private:
    /// The supervisor's place, while nobody supervises.
    struct Place {
        std::uint32_t attempt;
        LockFile lock;
        RunLog log;
    };

    QueueWatch(RunFolder folder, SlurmJob job, std::int64_t steps, LockFile lock);

    void look();
    void wait(const JobFacts& job, std::uint32_t lastSigned);
    void conclude(const std::optional<JobFacts>& job, std::uint32_t attempt);
    /// False while somebody else has it.
    bool takePlace(std::uint32_t attempt);
    /// Ends a supervisor that goes on where Slurm has given its job up: on a node that is cut off.
    void fenceBefore(std::uint32_t attempt);
    void say(RunState state, const std::string& reason);
    /// That Slurm does not answer, or that something cannot be written: once per cause.
    void complain(const std::string& text);
    std::string lastWords() const;

    RunFolder m_folder;
    SlurmJob m_job;
    std::int64_t m_steps;
    LockFile m_lock;
    std::optional<Place> m_place;
    std::string m_complaint;
    bool m_fencedOff = false;
    bool m_over = false;
};

/// Starts a watch as a process of its own, unless one is at work, and waits until it has looked once.
Result<DetachedStart> startQueueWatch(const RunFolder& folder);
/// The batch job of the run is being watched: it has not ended, as far as is known.
bool isQueueWatched(const RunFolder& folder);
/// Every run below `agentRoot` whose job may still be there has a watch again: they end with their machine.
void restoreQueueWatches(const std::filesystem::path& agentRoot);

} // namespace trainyard::agent
