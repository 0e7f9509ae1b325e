#include "remote/agent/slurm/requeue.h"

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "remote/agent/slurm/slurm_control.h"

namespace trainyard::agent {

namespace {

bool everyNodeAnswers(const BatchJob& job)
{
    if (job.nodes.size() == 1)
        return true; // we are on it
    const auto answer = runOnNodes(job, {"true"});
    return answer.ok() && answer->status == 0;
}

/// A job that does not run any more was requeued by Slurm itself, or cancelled: the queue watch tells.
Status requeueIfRunning(const BatchJob& job)
{
    TRAINYARD_TRY(const auto facts, askJob(job.id));
    return facts && isRunning(*facts) ? requeueJob(job.id) : Status();
}

} // namespace

Supervisor::Requeue onLostNode(const RunFolder& folder, const BatchJob& job, const RunSpec& spec)
{
    return [folder, job, isAllowed = spec.launch.slurm.requeue](const LaunchRequest& next) -> std::string {
        if (!isAllowed || everyNodeAnswers(job))
            return {};
        Status requeued = writeFileAtomically(folder.launchFile(next.attempt), toJson(next));
        if (requeued.ok())
            requeued = requeueIfRunning(job);
        if (requeued.ok())
            return fmt::format("Slurm job {} is being requeued", job.id);
        printOutput(fmt::format("error: job {} cannot be requeued: {}\n", job.id, requeued.error().text()));
        return {};
    };
}

} // namespace trainyard::agent
