#include "remote/agent/supervise/revive.h"

#include <algorithm>

#include "engine/base/file.h"
#include "engine/base/lock_file.h"
#include "engine/base/standard_streams.h"
#include "remote/agent/host/boot_hook.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"
#include "remote/agent/supervise/launch_run.h"
#include "remote/agent/supervise/restart_policy.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

/// The variables that launchers may need and cron does not set.
const std::vector<std::string_view> kKeptForRevival{"PATH",   "LD_LIBRARY_PATH",     "LANG", "LC_ALL", "TZ",
                                                    "TMPDIR", "CUDA_VISIBLE_DEVICES"};
constexpr std::chrono::seconds kHookPatience{30};

/// True for a run that was active on this host when it went down. A power cut may lose state.json, but not
/// supervisor.json, which is synced.
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

/// Returns the request for the next attempt, while restarts are left.
Result<LaunchRequest> nextRequest(const RunFolder& folder)
{
    if (isAskedToEnd(folder))
        return cancelled("it was asked to end before this host was restarted");
    TRAINYARD_TRY(const RunWork work, loadWork(folder));
    const RunStatus status = readStatus(folder).value_or(RunStatus{});
    const SupervisorIdentity supervisor = readSupervisor(folder).value_or(SupervisorIdentity{});
    TRAINYARD_TRY(const std::string text, readFile(folder.launchFile(supervisor.attempt)));
    TRAINYARD_TRY(LaunchRequest request, parseLaunchRequest(text));
    RestartPolicy policy(work.restart, request.restarts);
    const auto decision = policy.after(
        {FailureKind::Infrastructure, status.step, status.step > 0, folder.publishedCheckpoint()});
    if (!decision.restart)
        return refused(decision.refusal.empty() ? "its specification allows no restart" : decision.refusal);
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

/// Serializes changes of the boot hook: one run's end must not remove what another run has just installed.
Result<LockFile> lockHook(const fs::path& root)
{
    return LockFile::acquire(root / "on-boot.lock", kHookPatience);
}

bool isSupervisedHere(const RunFolder& folder)
{
    const auto supervisor = readSupervisor(folder);
    return supervisor && supervisor->host == hostName();
}

} // namespace

std::vector<std::string> reviveRuns(const fs::path& root)
{
    std::vector<std::string> revived;
    bool isHookLeft = false;
    for (const RunFolder& folder : runsBelow(root)) {
        if (!wasInterrupted(folder) || !asksForRevival(folder))
            continue;
        isHookLeft = true;
        if (const Status status = revive(folder); status.ok())
            revived.push_back(folder.run());
        else
            printError("trainyard-agent", status.error().in(folder.run()));
    }
    if (isHookLeft)
        cancelRevivalIfUnneeded(root);
    return revived;
}

Status arrangeRevival(const fs::path& root)
{
    TRAINYARD_TRY(const LockFile lock, lockHook(root));
    return BootHook(ownProgram(), root).install(keptEnvironment(kKeptForRevival));
}

bool mayNeedRevival(const RunFolder& folder)
{
    std::error_code ignored;
    const auto status = readStatus(folder);
    return status && status->attempt > 0 && !isFinal(status->state) && asksForRevival(folder) &&
           !fs::exists(folder.slurmJob(), ignored);
}

/// Hosts that share the folder have separate crontabs, which all call the same file.
Status cancelRevival(const fs::path& root)
{
    TRAINYARD_TRY(const LockFile lock, lockHook(root));
    std::vector<RunFolder> runs = runsBelow(root);
    std::erase_if(runs, [](const RunFolder& folder) { return !mayNeedRevival(folder); });
    if (std::ranges::any_of(runs, isSupervisedHere))
        return {};
    const BootHook hook(ownProgram(), root);
    TRAINYARD_TRY_STATUS(hook.removeLine());
    if (runs.empty())
        hook.removeScript();
    return {};
}

void cancelRevivalIfUnneeded(const fs::path& root)
{
    if (const Status removed = cancelRevival(root); !removed.ok())
        printError("trainyard-agent", removed.error());
}

} // namespace trainyard::agent
