#include "remote/agent/slurm/submit_run.h"

#include <thread>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/lock_file.h"
#include "engine/base/standard_streams.h"
#include "engine/spec/spec_json.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/slurm/batch_request.h"
#include "remote/agent/slurm/queue_watch.h"
#include "remote/agent/slurm/slurm_control.h"
#include "remote/agent/slurm/slurm_job.h"
#include "remote/agent/supervise/launch_request.h"
#include "remote/agent/supervise/start_point.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kPatience{15};

/// Whoever watched the job before has said its end by then.
Status letWatchLeave(const RunFolder& folder)
{
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (isQueueWatched(folder)) {
        if (std::chrono::steady_clock::now() > deadline)
            return refused("the previous job is still being watched", "see " + folder.queueLog().string());
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return {};
}

/// sbatch wants a file; it keeps a copy of its own, so one for all jobs will do.
Result<std::filesystem::path> scriptBelow(const std::filesystem::path& agentRoot)
{
    const auto path = agentRoot / "slurm.sh";
    if (const auto present = readFile(path); !present.ok() || *present != batchScript())
        TRAINYARD_TRY_STATUS(writeFileAtomically(path, std::string(batchScript())));
    return path;
}

Status checkAttempt(const RunFolder& folder, const std::optional<SlurmJob>& job, std::uint32_t attempt)
{
    if (job) {
        TRAINYARD_TRY_STATUS(checkIsOver(folder, *job));
        TRAINYARD_TRY_STATUS(letWatchLeave(folder));
    }
    const auto status = readStatus(folder);
    const std::uint32_t last = status ? status->attempt : 0;
    if (attempt != last + 1)
        return badInput(fmt::format("attempt {} cannot follow attempt {}", attempt, last));
    return {};
}

/// A job of that name is one whose id got lost between sbatch and us.
Result<std::string> submitOnce(const RunFolder& folder, std::uint32_t attempt, const RunSpec& spec)
{
    TRAINYARD_TRY(std::string lost, findJob(jobName(folder, attempt)));
    if (!lost.empty())
        return lost;
    TRAINYARD_TRY(const auto partitions, askPartitions());
    TRAINYARD_TRY(const auto script, scriptBelow(folder.agentRoot()));
    return submitJob(
        sbatchCommand(folder, attempt, spec, script, ownProgram(), requestsGpus(partitions, spec)));
}

/// The job is in the queue whether it is watched or not; a watch that does not start now is started by the
/// next desk that looks.
void watchLoosely(const RunFolder& folder)
{
    if (const auto watch = startQueueWatch(folder); !watch.ok())
        printError("trainyard-agent", watch.error().in(folder.run()));
}

} // namespace

Result<std::optional<RunSpec>> slurmSpec(const RunFolder& folder)
{
    std::error_code ignored;
    if (!std::filesystem::exists(folder.spec(), ignored))
        return std::optional<RunSpec>();
    TRAINYARD_TRY(const std::string text, readFile(folder.spec()));
    ParsedSpec parsed = parseSpec(text);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in("the specification");
    if (parsed.spec.launch.launcher != LauncherKind::Slurm)
        return std::optional<RunSpec>();
    return std::optional(std::move(parsed.spec));
}

Result<PlannedJob> checkSubmission(const std::filesystem::path& agentRoot, const RunSpec& spec)
{
    TRAINYARD_TRY(const auto partitions, askPartitions());
    TRAINYARD_TRY_STATUS(checkPartitions(partitions, spec));
    TRAINYARD_TRY(const auto script, scriptBelow(agentRoot));
    const PlannedJob job{requestsGpus(partitions, spec)};
    const RunFolder folder(agentRoot, "test");
    TRAINYARD_TRY_STATUS(testJob(sbatchCommand(folder, 1, spec, script, ownProgram(), job.requestsGpus)));
    return job;
}

Result<Submission> submitRun(const RunFolder& folder, const std::string& requestText,
                             std::optional<std::int64_t> goBackTo)
{
    TRAINYARD_TRY(LaunchRequest request, parseLaunchRequest(requestText));
    TRAINYARD_TRY(const auto spec, slurmSpec(folder));
    if (!spec)
        return badInput("the run " + folder.run() + " is not a Slurm run");
    TRAINYARD_TRY(const auto lock, LockFile::tryAcquire(folder.path() / "submission.lock"));
    if (!lock)
        return refused("the run " + folder.run() + " is being submitted", "wait for it");
    const auto earlier = readSlurmJob(folder);
    if (earlier && earlier->attempt == request.attempt) {
        watchLoosely(folder);
        return Submission{false, earlier->id};
    }
    TRAINYARD_TRY_STATUS(checkAttempt(folder, earlier, request.attempt));
    TRAINYARD_TRY_STATUS(checkStart(folder, goBackTo));
    removeRequests(folder);
    if (earlier)
        keepChanges(request, folder.launchFile(earlier->attempt));
    TRAINYARD_TRY_STATUS(makeFolder(folder.attempts()));
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder.launchFile(request.attempt), toJson(request)));
    TRAINYARD_TRY(const std::string id, submitOnce(folder, request.attempt, *spec));
    if (const Status written = writeSlurmJob(folder, {id, request.attempt}); !written.ok()) {
        [[maybe_unused]] const Status cancelled = cancelJob(id); // nobody would know of it
        return written.error();
    }
    watchLoosely(folder);
    return Submission{true, id};
}

} // namespace trainyard::agent
