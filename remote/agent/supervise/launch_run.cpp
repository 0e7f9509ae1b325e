#include "remote/agent/supervise/launch_run.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/lock_file.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/recovery.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/supervise/attempt_spec.h"
#include "remote/agent/supervise/launch_request.h"
#include "remote/agent/supervise/start_point.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kPatience{5};
/// How long a launch waits for another one of the same run, whose supervisor may have to wait for an older
/// one.
constexpr std::chrono::seconds kLaunchPatience{45};

/// A supervisor that has written the final state is about to exit; a resume may arrive just then.
void letItLeave(const RunFolder& folder)
{
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    const auto status = readStatus(folder);
    while (status && isFinal(status->state) && isSupervised(folder) &&
           std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

} // namespace

Result<DetachedStart> launchRun(const RunFolder& folder, const std::string& requestText,
                                std::optional<std::int64_t> goBackTo)
{
    TRAINYARD_TRY(LaunchRequest request, parseLaunchRequest(requestText));
    if (request.allocation)
        return badInput("launch: \"slurm\" is written by the job itself");
    // Two clients may launch at once: the second one waits here, and then finds the supervisor of the first.
    TRAINYARD_TRY(const LockFile lock, LockFile::acquire(folder.launchLock(), kLaunchPatience));
    TRAINYARD_TRY([[maybe_unused]] const bool recovered, recoverIfAbandoned(folder));
    const auto supervisor = readSupervisor(folder);
    const std::uint32_t last = supervisor ? supervisor->attempt : 0;
    if (request.attempt <= last) // the supervisor may have gone on to a later one by itself
        return DetachedStart{false, static_cast<pid_t>(supervisor ? supervisor->pid : 0)};
    letItLeave(folder);
    if (isSupervised(folder))
        return refused(fmt::format("attempt {} of the run is running", last), "stop it first");
    if (request.attempt != last + 1)
        return badInput(fmt::format("attempt {} cannot follow attempt {}", request.attempt, last));
    keepChanges(request, folder.launchFile(last));
    TRAINYARD_TRY_STATUS(takeNodesOfLayout(request, folder));
    TRAINYARD_TRY_STATUS(checkStart(folder, goBackTo));
    TRAINYARD_TRY_STATUS(makeFolder(folder.attempts()));
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder.launchFile(request.attempt), toJson(request)));
    return startDetached({ownProgram(), "supervise", "--run-dir", folder.path(), "--attempt",
                          std::to_string(request.attempt)});
}

} // namespace trainyard::agent
