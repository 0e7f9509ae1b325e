#include "remote/agent/slurm/batch_step.h"

#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/lock_file.h"
#include "engine/base/process.h"
#include "engine/base/standard_streams.h"
#include "engine/records/fence.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/slurm/batch_job.h"
#include "remote/agent/slurm/requeue.h"
#include "remote/agent/slurm/slurm_job.h"
#include "remote/agent/slurm/submit_run.h"
#include "remote/agent/slurm/termination.h"
#include "remote/agent/supervise/launch_request.h"
#include "remote/agent/supervise/supervisor.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStarterPatience{60};
/// For the watch on the login host, which looks every 2 s, and for an attempt on a node that Slurm has lost.
constexpr std::chrono::seconds kPlacePatience{120};

/// One clear error instead of what MPI makes of it.
Status checkFolderOnNodes(const BatchJob& job, const std::filesystem::path& file)
{
    if (job.nodes.size() == 1)
        return {};
    constexpr const char* kLook = "[ -r \"$1\" ] || echo \"absent on $SLURMD_NODENAME\"";
    TRAINYARD_TRY(const CommandOutput output, runOnNodes(job, {"/bin/sh", "-c", kLook, "sh", file}));
    std::vector<std::string> absent;
    for (const std::string& node : job.nodes) {
        if (output.text.find("absent on " + node + "\n") != std::string::npos)
            absent.push_back(node);
    }
    if (!absent.empty())
        return refused(fmt::format("{} does not exist on {}", file.parent_path().parent_path().string(),
                                   fmt::join(absent, ", ")),
                       "the agent's folder must be on a file system that the nodes and the login host share");
    if (output.status != 0)
        return failed("srun cannot start programs on the nodes of the job: " + errorOf(output.text));
    return {};
}

/// How the ranks are started: mpirun where there is one, for it works with any build of Slurm; otherwise by
/// what Slurm can do itself.
Result<std::string> findStarter()
{
    if (!programInPath("mpirun").empty())
        return std::string("mpirun");
    TRAINYARD_TRY(const CommandOutput output, runCommand({"srun", "--mpi=list"}, kStarterPatience));
    for (const char* plugin : {"pmix", "pmi2"}) {
        if (output.text.find(plugin) != std::string::npos)
            return std::string(plugin);
    }
    return refused("there is no mpirun on " + hostName() + ", and Slurm's srun cannot start MPI ranks there",
                   "install OpenMPI 4 on the nodes, or load its module in the shell's start-up file");
}

/// Of an attempt that another one handed over to; none when it was Slurm that requeued the job.
RestartCount restartsBefore(const RunFolder& folder, std::uint32_t attempt)
{
    const auto text = readFile(folder.launchFile(attempt));
    const auto request = text.ok() ? parseLaunchRequest(*text) : Result<LaunchRequest>(text.error());
    return request.ok() ? request->restarts : RestartCount{};
}

/// As it was submitted, with the nodes that Slurm has chosen.
Result<LaunchRequest> requestFor(const RunFolder& folder, std::uint32_t firstAttempt, std::uint32_t attempt,
                                 const BatchJob& job)
{
    TRAINYARD_TRY(const std::string text, readFile(folder.launchFile(firstAttempt)));
    TRAINYARD_TRY(LaunchRequest request, parseLaunchRequest(text));
    const int slots = request.nodes.front().slotCount;
    request.attempt = attempt;
    request.restarts = restartsBefore(folder, attempt);
    request.nodes.clear();
    for (const std::string& node : job.nodes)
        request.nodes.push_back({node, slots, 0, {}});
    TRAINYARD_TRY(const std::string starter, findStarter());
    request.allocation = Allocation{job.id, starter};
    return request;
}

Status waitForPlace(const RunFolder& folder)
{
    const auto deadline = SteadyClock::now() + kPlacePatience;
    while (LockFile::isHeld(folder.supervisorLock())) {
        if (SteadyClock::now() > deadline)
            return refused("an earlier attempt of the run is still running",
                           "its node may be unreachable: see " + folder.supervisorFile().string());
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return {};
}

Result<int> supervise(const RunFolder& folder, std::uint32_t firstAttempt)
{
    TRAINYARD_TRY(const BatchJob job, ownBatchJob());
    TRAINYARD_TRY(const auto spec, slurmSpec(folder));
    if (!spec)
        return badInput("the run " + folder.run() + " is not a Slurm run");
    const std::uint32_t attempt = attemptOf({job.id, firstAttempt}, job.restarts, lastSignedAttempt(folder));
    TRAINYARD_TRY_STATUS(checkFolderOnNodes(job, folder.launchFile(firstAttempt)));
    TRAINYARD_TRY(const LaunchRequest request, requestFor(folder, firstAttempt, attempt, job));
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder.launchFile(attempt), toJson(request)));
    TRAINYARD_TRY_STATUS(Fence(folder.path(), attempt).raise());
    TRAINYARD_TRY_STATUS(waitForPlace(folder));
    TRAINYARD_TRY(auto supervisor, Supervisor::start(folder, attempt));
    supervisor->setTerminationHandler(onTermination(folder, job.id, *spec));
    supervisor->setRequeue(onLostNode(folder, job, *spec));
    TRAINYARD_TRY_STATUS(supervisor->launch());
    return supervisor->watch();
}

} // namespace

int runBatchStep(const std::filesystem::path& runFolder, std::uint32_t firstAttempt)
{
    const auto status = supervise(RunFolder(runFolder), firstAttempt);
    if (status.ok())
        return *status;
    printOutput(fmt::format("error: {}\n", status.error().text()));
    return exitStatus(status.error().kind);
}

} // namespace trainyard::agent
