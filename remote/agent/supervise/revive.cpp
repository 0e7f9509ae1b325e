#include "remote/agent/supervise/revive.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "remote/agent/host/boot_hook.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"
#include "remote/agent/supervise/launch_run.h"
#include "remote/agent/supervise/restart_policy.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

/// A run that was at work, here, when this machine went down. The state may be lost with the power, who
/// supervised is not: that was synced.
bool wasInterrupted(const RunFolder& folder)
{
    const auto supervisor = readSupervisor(folder);
    if (!supervisor || supervisor->host != hostName() || supervisor->bootId == bootId())
        return false;
    const auto status = readStatus(folder);
    return !status || status->attempt != supervisor->attempt || !isFinal(status->state);
}

bool asksForRevival(const RunFolder& folder)
{
    const auto work = loadWork(folder);
    return work.ok() && work->restart.afterReboot;
}

/// What the next attempt is asked for, while restarts are left.
Result<LaunchRequest> nextRequest(const RunFolder& folder)
{
    TRAINYARD_TRY(const RunWork work, loadWork(folder));
    const RunStatus status = readStatus(folder).value_or(RunStatus{});
    const SupervisorIdentity supervisor = readSupervisor(folder).value_or(SupervisorIdentity{});
    TRAINYARD_TRY(const std::string text, readFile(folder.launchFile(supervisor.attempt)));
    TRAINYARD_TRY(LaunchRequest request, parseLaunchRequest(text));
    RestartPolicy policy(work.restart, request.restarts);
    const auto decision =
        policy.after({FailureKind::Infrastructure, status.step, status.step > 0, folder.newestCheckpoint()});
    if (!decision.restart)
        return refused(decision.refusal.empty() ? "it is not to be restarted" : decision.refusal);
    ++request.attempt;
    request.restarts = policy.count();
    return request;
}

Status revive(const RunFolder& folder)
{
    const auto next = nextRequest(folder);
    TRAINYARD_TRY([[maybe_unused]] const bool recovered, recoverIfAbandoned(folder));
    if (!next.ok())
        return next.error();
    TRAINYARD_TRY([[maybe_unused]] const DetachedStart started, launchRun(folder, toJson(*next)));
    return {};
}

std::vector<RunFolder> runsBelow(const fs::path& root)
{
    std::vector<RunFolder> runs;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root / "runs", ignored)) {
        const RunFolder folder(entry.path());
        if (isSafeName(folder.run()) && folder.exists())
            runs.push_back(folder);
    }
    return runs;
}

bool mayNeedRevival(const RunFolder& folder)
{
    const auto status = readStatus(folder);
    return status && status->attempt > 0 && !isFinal(status->state) && asksForRevival(folder);
}

} // namespace

std::vector<std::string> reviveRuns(const fs::path& root)
{
    std::vector<std::string> revived;
    for (const RunFolder& folder : runsBelow(root)) {
        if (!wasInterrupted(folder) || !asksForRevival(folder))
            continue;
        if (const Status status = revive(folder); status.ok())
            revived.push_back(folder.run());
        else
            fmt::print(stderr, "trainyard-agent: {}\n", status.error().in(folder.run()).text());
    }
    return revived;
}

Status arrangeRevival(const RunFolder& folder)
{
    return BootHook(ownProgram(), folder.agentRoot()).install();
}

void cancelRevival(const RunFolder& folder)
{
    const auto others = runsBelow(folder.agentRoot());
    if (std::ranges::any_of(others, [&](const RunFolder& other) {
            return other.run() != folder.run() && mayNeedRevival(other);
        }))
        return;
    if (const Status removed = BootHook(ownProgram(), folder.agentRoot()).remove(); !removed.ok())
        fmt::print(stderr, "trainyard-agent: {}\n", removed.error().text());
}

} // namespace trainyard::agent
