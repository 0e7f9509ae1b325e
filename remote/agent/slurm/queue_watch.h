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

/// Reports for a run on the login host while its batch job cannot: the state of the queue while the job
/// waits, also after a requeue, and the end of a job whose supervisor could not report it. For that it takes
/// the supervisor's place, lock and stream "run", and releases it when the job starts, so that the stream has
/// one writer at any time. One per run.
class QueueWatch {
public:
    /// Polls once before it returns. Returns nullopt when the job is watched already.
    static Result<std::unique_ptr<QueueWatch>> start(const RunFolder& folder);
    /// Returns when the job has ended and its end is reported, or the run's directory is gone.
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
    /// Returns false while another process holds it.
    bool takePlace(std::uint32_t attempt);
    /// Ends a supervisor that continues although Slurm has given up its job: on an unreachable node.
    void fenceBefore(std::uint32_t attempt);
    void say(RunState state, const std::string& reason);
    /// Reports once per cause that Slurm does not respond, or that a file cannot be written.
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

/// Starts a watch as a separate process, unless one is running, and waits for its first poll.
Result<DetachedStart> startQueueWatch(const RunFolder& folder);
/// Returns true while the batch job of the run is watched: as far as known, it has not ended.
bool isQueueWatched(const RunFolder& folder);
/// Restarts the watch of every run below `agentRoot` whose job may still exist: watches end with their
/// machine.
void restoreQueueWatches(const std::filesystem::path& agentRoot);

} // namespace trainyard::agent
