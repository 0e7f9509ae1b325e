#include "engine/spec/spec_json.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/checkpoint_list.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_registry.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/stop_run.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"
#include "remote/agent/slurm/queue_watch.h"
#include "remote/agent/slurm/slurm_job.h"
#include "remote/agent/slurm/stop_job.h"
#include "remote/agent/slurm/submit_run.h"
#include "remote/agent/supervise/launch_run.h"
#include "remote/agent/supervise/revive.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;

constexpr std::int64_t kGrace = StopOptions{}.grace.count();
constexpr std::int64_t kMaxGrace = 24 * 3600 * 1000;
constexpr std::int64_t kMaxStep = 999'999'999'999'999'999;
constexpr std::int64_t kMaxVerification = 24 * 3600 * 1000;
constexpr std::int64_t kUsualVerification = 10'000;
constexpr std::int64_t kMaxNodes = 100'000;

Result<Answer> createRun(const AgentContext& context, const json& request)
{
    const Fields fields(request);
    NewRun run;
    TRAINYARD_TRY(run.run, fields.text("run"));
    TRAINYARD_TRY(const std::string kind, fields.text("kind"));
    const auto known = workKindFrom(kind);
    if (!known)
        return badInput("the field \"kind\" is not \"train\", \"prepare\" or \"probe\"",
                        "the agent may be outdated: deploy again");
    run.kind = *known;
    TRAINYARD_TRY(run.work, fields.document(run.kind == WorkKind::Prepare ? "job" : "spec"));
    TRAINYARD_TRY(run.inventory,
                  request.contains("inventory") ? fields.document("inventory") : Result<std::string>("{}\n"));
    const RunRegistry registry(context.root);
    TRAINYARD_TRY(const bool created, registry.create(run));
    TRAINYARD_TRY(const RunFolder folder, registry.folder(run.run));
    return Answer{{{"created", created}, {"folder", folder.path().string()}}, {}};
}

/// The checkpoint that a resume goes back to.
Result<std::optional<std::int64_t>> optionalStep(const json& request)
{
    if (!request.contains("step"))
        return std::optional<std::int64_t>();
    TRAINYARD_TRY(const std::int64_t step, Fields(request).number("step", 0, kMaxStep));
    return std::optional(step);
}

Result<Answer> launch(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder folder, existingRun(context, request));
    if (request.contains("programs") && !context.local)
        return refused("installed programs are started only for a client on the same machine",
                       "deploy a bundle");
    TRAINYARD_TRY(const auto step, optionalStep(request));
    TRAINYARD_TRY(const auto slurm, slurmSpec(folder));
    if (slurm) {
        TRAINYARD_TRY(const Submission submission, submitRun(folder, request.dump(), step));
        return Answer{{{"started", submission.submitted}, {"job", submission.job}}, {}};
    }
    TRAINYARD_TRY(const DetachedStart started, launchRun(folder, request.dump(), step));
    return Answer{{{"started", started.started}, {"pid", started.pid}}, {}};
}

Result<Answer> attend(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder folder, existingRun(context, request));
    const Fields fields(request);
    TRAINYARD_TRY(const std::int64_t node, fields.number("node", 0, kMaxNodes));
    TRAINYARD_TRY(const std::int64_t attempt, fields.numberOr("attempt", 1, 1, INT32_MAX));
    TRAINYARD_TRY(const std::int64_t interval, fields.numberOr("interval_ms", 1000, 50, 3'600'000));
    TRAINYARD_TRY(
        const DetachedStart started,
        startDetached({ownProgram(), "attend", "--run-dir", folder.path(), "--node", std::to_string(node),
                       "--attempt", std::to_string(attempt), "--interval-ms", std::to_string(interval)}));
    return Answer{{{"started", started.started}}, {}};
}

/// Whether Slurm would take the job that this specification asks for.
Result<Answer> checkSlurm(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const std::string text, Fields(request).document("spec"));
    const ParsedSpec parsed = parseSpec(text);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics);
    TRAINYARD_TRY(const PlannedJob job, checkSubmission(context.root, parsed.spec));
    return Answer{{{"gpus", job.requestsGpus}}, {}};
}

json toJson(const RunSummary& run)
{
    return {{"run", run.run},
            {"kind", nameOf(run.kind)},
            {"name", run.name},
            {"state", nameOf(run.status.state)},
            {"reason", run.status.reason},
            {"step", run.status.step},
            {"steps", run.status.steps},
            {"attempt", run.status.attempt},
            {"live", run.live}};
}

Result<Answer> runs(const AgentContext& context, const json&)
{
    if (!context.readOnly) {
        restoreQueueWatches(context.root);
        reviveRuns(context.root); // where nothing does so when the machine starts
    }
    const auto abandoned =
        context.readOnly ? RunRegistry::Abandoned::Leave : RunRegistry::Abandoned::PutRight;
    json list = json::array();
    for (const RunSummary& run : RunRegistry(context.root).list(abandoned))
        list.push_back(toJson(run));
    return Answer{{{"runs", list}}, {}};
}

Result<Answer> stop(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder folder, existingRun(context, request));
    const Fields fields(request);
    TRAINYARD_TRY(const std::int64_t grace, fields.numberOr("grace_ms", kGrace, 0, kMaxGrace));
    TRAINYARD_TRY(const bool checkpoint, fields.flagOr("checkpoint", true));
    const StopOptions options{std::chrono::milliseconds(grace), checkpoint};
    TRAINYARD_TRY(const auto slurm, slurmSpec(folder));
    TRAINYARD_TRY(const StopReport report, slurm ? stopJob(folder, options) : stopRun(folder, options));
    json answer{{"clean", report.clean}, {"killed", report.killed}};
    if (!report.unreachable.empty())
        answer["unreachable"] = report.unreachable;
    return Answer{std::move(answer), {}};
}

/// A character for each shard: what a host has of a large run must fit into a message.
json toJson(const CheckpointParts& parts)
{
    std::string here;
    for (const bool isHere : parts.here)
        here += isHere ? '1' : '0';
    return {{"manifest", parts.manifest}, {"here", here}, {"hosts", parts.hosts}};
}

json toJson(const ListedCheckpoint& checkpoint)
{
    return {{"parts", checkpoint.parts ? toJson(*checkpoint.parts) : json()},
            {"step", checkpoint.name.step.value},
            {"folder", checkpoint.name.text()},
            {"state", checkpoint.state},
            {"reason", checkpoint.reason},
            {"bytes", checkpoint.bytes},
            {"verified", checkpoint.verified},
            {"latest", checkpoint.latest},
            {"best", checkpoint.best},
            {"next", checkpoint.next}};
}

Result<Answer> checkpoints(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder folder, existingRun(context, request));
    TRAINYARD_TRY(const std::int64_t verification,
                  Fields(request).numberOr("verify_ms", kUsualVerification, 0, kMaxVerification));
    TRAINYARD_TRY(const auto list, listCheckpoints(folder, std::chrono::milliseconds(verification)));
    json all = json::array();
    for (const ListedCheckpoint& checkpoint : list.all)
        all.push_back(toJson(checkpoint));
    return Answer{{{"checkpoints", all}, {"spread", list.isSpread}, {"going_back", list.isGoingBack}}, {}};
}

/// Rank 0 looks for the file at each step, publishes a checkpoint and takes the file away.
Result<Answer> checkpoint(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const RunFolder folder, existingRun(context, request));
    const auto status = readStatus(folder);
    if (!isSupervised(folder) || (status && status->state == RunState::Pending))
        return refused("the run " + folder.run() + " is not running", "resume it first");
    TRAINYARD_TRY_STATUS(askForCheckpoint(folder));
    return Answer{{{"asked", true}}, {}};
}

Result<Answer> removeRun(const AgentContext& context, const json& request)
{
    TRAINYARD_TRY(const std::string run, Fields(request).text("run"));
    const RunRegistry registry(context.root);
    TRAINYARD_TRY(const RunFolder folder, registry.folder(run));
    TRAINYARD_TRY_STATUS(checkRemovable(folder));
    TRAINYARD_TRY(const bool removed, registry.remove(run));
    return Answer{{{"removed", removed}}, {}};
}

} // namespace

const OperationTable& runOperations()
{
    static const OperationTable table{{"create-run", createRun},
                                      {"launch", launch},
                                      {"attend", attend},
                                      {"slurm-check", checkSlurm},
                                      {"runs", runs},
                                      {"stop", stop},
                                      {"checkpoint", checkpoint},
                                      {"checkpoints", checkpoints},
                                      {"remove-run", removeRun}};
    return table;
}

} // namespace trainyard::agent
