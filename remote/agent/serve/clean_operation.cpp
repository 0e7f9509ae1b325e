#include "remote/agent/serve/clean_operation.h"

#include <algorithm>

#include "remote/agent/host/machine.h"
#include "remote/agent/runs/mpi_sessions.h"
#include "remote/agent/runs/run_registry.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/serve/active_runs.h"
#include "remote/agent/serve/request.h"
#include "remote/agent/store/clean_up.h"
#include "remote/agent/store/full_clean_up.h"
#include "remote/agent/supervise/revive.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json toJson(const CleanUpPlan& plan)
{
    json leftovers = json::array();
    for (const Leftover& entry : plan.leftovers)
        leftovers.push_back({{"kind", nameOf(entry.kind)},
                             {"name", entry.name},
                             {"bytes", entry.bytes},
                             {"age_s", entry.age.count()}});
    json kept = json::array();
    for (const KeptBundle& bundle : plan.kept)
        kept.push_back({{"bundle", bundle.id}, {"reason", bundle.reason}});
    return {{"leftovers", leftovers}, {"kept", kept}};
}

/// What a run on another host was started by does not show among the processes of this one.
bool aRunLivesElsewhere(const AgentContext& context)
{
    const auto runs = RunRegistry(context.root).list(RunRegistry::Abandoned::Leave);
    return std::ranges::any_of(runs, [&](const RunSummary& run) {
        const auto supervisor = readSupervisor(RunFolder(context.root, run.run));
        return run.live && !(supervisor && supervisor->bootId == bootId());
    });
}

Result<Answer> cleanOld(const AgentContext& context, const json& request, bool dryRun)
{
    const Fields fields(request);
    CleanUpRules rules;
    TRAINYARD_TRY(const std::int64_t unused,
                  fields.numberOr("unused_s", rules.unusedFor.count(), 0, INT32_MAX));
    TRAINYARD_TRY(const std::int64_t parts,
                  fields.numberOr("parts_s", rules.partsOlderThan.count(), 0, INT32_MAX));
    rules.unusedFor = std::chrono::seconds(unused);
    rules.partsOlderThan = std::chrono::seconds(parts);
    rules.keepAgents = aRunLivesElsewhere(context);
    TRAINYARD_TRY(const CleanUpPlan plan, planCleanUp(context.root, rules));
    Answer answer{toJson(plan), {}};
    if (!dryRun) {
        TRAINYARD_TRY(answer.fields["freed"], cleanUp(context.root, plan));
    }
    return answer;
}

/// Neither on this host nor, where hosts share the folder, on another one.
Status checkNoRunIsActive(const AgentContext& context, bool dryRun)
{
    const ActiveRuns active;
    const auto abandoned = dryRun ? RunRegistry::Abandoned::Leave : RunRegistry::Abandoned::PutRight;
    for (const RunSummary& summary : RunRegistry(context.root).list(abandoned)) {
        const RunFolder run(context.root, summary.run);
        if (active.contains(run))
            return refused("the run " + summary.run + " is active or being started",
                           "`trainyard stop " + summary.run + "` ends it");
        if (mayNeedRevival(run))
            return refused("the run " + summary.run + " is to be resumed after a reboot",
                           "`trainyard stop " + summary.run + "` ends it");
    }
    return {};
}

void addRemainder(json& remains, Remainder::Kind kind, const std::string& name)
{
    remains.push_back({{"kind", nameOf(kind)}, {"name", name}});
}

/// With a plan: what will remain.
json remainsJson(const fs::path& root, const CleanUpPlan& plan)
{
    json remains = json::array();
    for (const Remainder& entry : remainders(root, plan))
        addRemainder(remains, entry.kind, entry.name);
    return remains;
}

/// An empty folder that stays is a place to mount a disk, or was made by somebody else.
bool hasContent(const fs::path& folder)
{
    std::error_code error;
    return !fs::is_empty(folder, error) && !error;
}

/// After the removal.
void addOtherFolders(json& remains, const fs::path& root)
{
    if (remains.empty() && hasContent(root))
        addRemainder(remains, Remainder::Kind::Other, root);
    for (const fs::path& other : otherAgentFolders(root)) {
        removeEmptyFolders(other);
        if (hasContent(other))
            addRemainder(remains, Remainder::Kind::Other, other);
    }
}

bool mayHaveBootHook(const fs::path& root)
{
    std::error_code ignored;
    return fs::exists(root / "on-boot", ignored) || fs::exists(root / "on-boot.lock", ignored);
}

void addSessions(json& leftovers, const std::vector<fs::path>& sessions)
{
    for (const fs::path& session : sessions)
        leftovers.push_back({{"kind", "session"}, {"name", session.string()}, {"bytes", 0}, {"age_s", 0}});
}

Result<CleanUpPlan> planEverything(const fs::path& root)
{
    CleanUpRules rules;
    rules.everything = true;
    return planCleanUp(root, rules);
}

Result<Answer> previewAll(const AgentContext& context)
{
    TRAINYARD_TRY(const CleanUpPlan plan, planEverything(context.root));
    Answer answer{toJson(plan), {}};
    addSessions(answer.fields["leftovers"], MpiSessions::abandoned());
    answer.fields["remains"] = remainsJson(context.root, plan);
    return answer;
}

/// The lock of the boot hook is made anew by its removal, so that comes before the plan.
Result<Answer> removeAll(const AgentContext& context)
{
    const Status hook = mayHaveBootHook(context.root) ? cancelRevival(context.root) : Status();
    TRAINYARD_TRY(const CleanUpPlan plan, planEverything(context.root));
    Answer answer{toJson(plan), {}};
    const auto sessions = MpiSessions::abandoned();
    addSessions(answer.fields["leftovers"], sessions);
    TRAINYARD_TRY(answer.fields["freed"], cleanUp(context.root, plan));
    std::error_code ignored;
    for (const fs::path& session : sessions)
        fs::remove_all(session, ignored);
    removeEmptyFolders(context.root);
    json& remains = answer.fields["remains"] = remainsJson(context.root, {});
    addOtherFolders(remains, context.root);
    if (!hook.ok())
        remains.push_back({{"kind", "boot-hook"}, {"name", hook.error().text()}});
    return answer;
}

} // namespace

Result<Answer> clean(const AgentContext& context, const json& request)
{
    const Fields fields(request);
    TRAINYARD_TRY(const bool dryRun, fields.flagOr("dry_run", true));
    TRAINYARD_TRY(const bool all, fields.flagOr("all", false));
    if (!all)
        return cleanOld(context, request, dryRun);
    TRAINYARD_TRY_STATUS(checkNoRunIsActive(context, dryRun));
    TRAINYARD_TRY_STATUS(checkNothingArrives(context.root));
    return dryRun ? previewAll(context) : removeAll(context);
}

} // namespace trainyard::agent
