#include <csignal>
#include <cstdlib>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include "engine/base/file.h"
#include "engine/base/option_checks.h"
#include "engine/base/standard_streams.h"
#include "engine/spec/names.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/lease/guard.h"
#include "remote/agent/lease/renewal.h"
#include "remote/agent/probe/probe.h"
#include "remote/agent/programs/run_program.h"
#include "remote/agent/sampler/sampler.h"
#include "remote/agent/serve/session.h"
#include "remote/agent/slurm/batch_step.h"
#include "remote/agent/slurm/queue_watch.h"
#include "remote/agent/store/clean_up.h"
#include "remote/agent/supervise/bring_shards.h"
#include "remote/agent/supervise/node_check.h"
#include "remote/agent/supervise/revive.h"
#include "remote/agent/supervise/supervisor.h"
#include "remote/agent/usage/free_check.h"
#include "remote/wire/agent_folder.h"

namespace {

namespace fs = std::filesystem;
using namespace trainyard;
using namespace trainyard::agent;

int report(const Error& error)
{
    printError("trainyard-agent", error);
    return exitStatus(error.kind);
}

/// Nobody else may look into the agent's folder: it holds specifications and logs.
Result<fs::path> prepareRoot(const fs::path& root, bool readOnly)
{
    if (!readOnly)
        TRAINYARD_TRY_STATUS(makeFolder(root));
    std::error_code error;
    const fs::path canonical = fs::canonical(root, error);
    if (error || (!readOnly && ::chmod(canonical.c_str(), 0700) != 0))
        return failed("cannot use the folder " + root.string());
    return canonical;
}

int serve(AgentContext context)
{
    const auto prepared = prepareRoot(context.root, context.readOnly);
    if (!prepared.ok())
        return report(prepared.error());
    context.root = *prepared;
    markAgentUsed(context.root, ownProgram());
    try {
        Session session(std::move(context), STDIN_FILENO, STDOUT_FILENO);
        const Status served = session.serve();
        return served.ok() ? 0 : report(served.error());
    } catch (const std::system_error& error) {
        return report(
            refused(fmt::format("this session cannot start threads: {}", error.code().message()),
                    "raise the process limits on the host (ulimit -u, TasksMax of the user's slice)"));
    }
}

int revive(const fs::path& root)
{
    for (const std::string& run : reviveRuns(root))
        printOutput(run + '\n');
    return exitStatusAfterOutput(0, "trainyard-agent");
}

int showProbe(const fs::path& root)
{
    printOutput(probe(root).value().dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
    return exitStatusAfterOutput(0, "trainyard-agent");
}

int check(const fs::path& runFolder, const fs::path& program, bool ownMpi)
{
    const Status able = checkNode(RunFolder(runFolder), program, ownMpi);
    return able.ok() ? 0 : report(able.error());
}

int bring(const fs::path& checkpoint)
{
    const Status brought = bringShards(checkpoint);
    return brought.ok() ? 0 : report(brought.error());
}

int guard(GuardOptions options, const std::string& deviceNeeds, const std::vector<std::string>& command)
{
    auto needs = deviceNeeds.empty() ? std::vector<DeviceNeed>() : parseDeviceNeeds(deviceNeeds);
    if (!needs.ok()) {
        printError("trainyard-agent guard", needs.error().in("--devices"));
        return exitStatus(needs.error().kind);
    }
    options.devices = std::move(needs).value();
    return runGuard(options, command);
}

int checkFreeFor(const std::string& run, NodeNeed need, const std::string& device)
{
    need.device = enumFromName<DeviceKind>(device).value_or(DeviceKind::Auto);
    const Status free = checkFree(need, run);
    return free.ok() ? 0 : report(free.error());
}

int supervise(const fs::path& runFolder, std::uint32_t attempt)
{
    const RunFolder folder(runFolder);
    auto readiness = detach(folder.supervisorLog());
    if (!readiness.ok())
        return report(readiness.error());
    auto supervisor = Supervisor::start(folder, attempt);
    const Status launched = supervisor.ok() ? (*supervisor)->launch() : Status(supervisor.error());
    if (!launched.ok()) {
        readiness->failedWith(launched.error());
        return report(launched.error());
    }
    readiness->isUp();
    return (*supervisor)->watch();
}

int watchJob(const fs::path& runFolder)
{
    const RunFolder folder(runFolder);
    auto readiness = detach(folder.queueLog());
    if (!readiness.ok())
        return report(readiness.error());
    auto watch = QueueWatch::start(folder);
    if (!watch.ok()) {
        readiness->failedWith(watch.error());
        return report(watch.error());
    }
    if (!*watch) {
        readiness->isNotNeeded();
        return 0;
    }
    readiness->isUp();
    (*watch)->run();
    return 0;
}

int attend(const fs::path& runFolder, const SamplerOptions& options)
{
    const RunFolder folder(runFolder);
    auto readiness = detach(folder.samplerLog(options.node));
    if (!readiness.ok())
        return report(readiness.error());
    auto sampler = Sampler::start(folder, options);
    if (!sampler.ok()) {
        readiness->failedWith(sampler.error());
        return report(sampler.error());
    }
    if (!*sampler) {
        readiness->isNotNeeded();
        return 0;
    }
    readiness->isUp();
    (*sampler)->run();
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    ::signal(SIGPIPE, SIG_IGN);
    // The machine's OpenSSL settings are for its own programs; a module that they name could not be opened by
    // a static one.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);

    // Before the options are read: those of the program are not ours.
    if (argc > 1 && std::string_view(argv[1]) == "exec")
        return runEngineProgram({argv + 2, argv + argc});

    CLI::App app("The Trainyard agent, which runs on the nodes.", "trainyard-agent");
    app.set_version_flag("--version", TRAINYARD_VERSION);
    app.require_subcommand(1);
    std::string root = agentFolder();
    bool local = false;
    bool readOnly = false;
    std::string runFolder;
    std::uint32_t attempt = 1;
    SamplerOptions sampling;
    std::int64_t intervalMs = sampling.interval.count();

    auto* serveCommand = app.add_subcommand("serve", "Serve one client on stdin and stdout");
    serveCommand->add_option("--root", root, "The agent's folder")->capture_default_str();
    serveCommand->add_flag("--local", local,
                           "The client is on this machine and may start installed programs");
    serveCommand->add_flag("--read-only", readOnly,
                           "Let the client follow and read; refuse every operation that changes something");
    auto* probeCommand = app.add_subcommand("probe", "Print facts about this machine as JSON");
    probeCommand->add_option("--root", root, "The agent's folder")->capture_default_str();
    auto* superviseCommand =
        app.add_subcommand("supervise", "Start and watch one attempt of a run, detached");
    superviseCommand->add_option("--run-dir", runFolder)->required();
    superviseCommand->add_option("--attempt", attempt)->required();
    bool inJob = false;
    superviseCommand->add_flag(
        "--in-job", inJob,
        "Run as the batch step of a Slurm job, not detached; --attempt is its first attempt");
    auto* watchCommand =
        app.add_subcommand("watch-job", "Watch a run's batch job in the Slurm queue, detached");
    watchCommand->add_option("--run-dir", runFolder)->required();
    auto* attendCommand =
        app.add_subcommand("attend", "Sample this node's devices while a run is active, detached");
    attendCommand->add_option("--run-dir", runFolder)->required();
    attendCommand->add_option("--node", sampling.node)->required();
    attendCommand->add_option("--attempt", attempt)->capture_default_str();
    attendCommand->add_option("--interval-ms", intervalMs)->capture_default_str();
    auto* reviveCommand =
        app.add_subcommand("revive", "Resume the runs that a reboot of this machine interrupted");
    reviveCommand->add_option("--root", root, "The agent's folder")->capture_default_str();
    auto* checkCommand =
        app.add_subcommand("check-node", "Check whether this machine can host ranks of a run");
    checkCommand->add_option("--run-dir", runFolder)->required();
    std::string program;
    checkCommand->add_option("--program", program, "The worker program to check")->required();
    bool ownMpi = false;
    checkCommand->add_flag("--own-mpi", ownMpi, "The ranks use the MPI of this agent's bundle");
    app.add_subcommand("exec", "Become a program of this agent's bundle, run by the bundle's own C library");
    auto* bringCommand = app.add_subcommand(
        "bring-shards", "Copy the shards of a checkpoint that this machine lacks from the run's other hosts");
    std::string checkpoint;
    bringCommand->add_option("--checkpoint", checkpoint, "The checkpoint's folder")->required();
    NodeNeed need;
    std::string device;
    std::string run;
    auto* freeCommand = app.add_subcommand(
        "check-free", "Check whether nobody else uses the devices or cores that ranks of a run need here");
    freeCommand->add_option("--run", run)->required();
    freeCommand->add_option("--ranks", need.ranks)->required()->check(wholeNumberProblem<1>);
    freeCommand->add_option("--threads", need.threadsPerRank, "Threads of each rank")
        ->required()
        ->check(wholeNumberProblem<1>);
    freeCommand->add_option("--device", device, "auto, cpu or cuda")->required();
    freeCommand->add_option("--of", need.devices, "GPUs that the ranks may take, by index or name")
        ->delimiter(',');
    GuardOptions guarding;
    std::int64_t leaseMs = guarding.lease.count();
    std::vector<std::string> command;
    auto* renewCommand = app.add_subcommand("renew", "Connect mpirun to a node and renew the node's lease");
    auto* guardCommand = app.add_subcommand("guard", "Run a node's MPI daemon while the head node is alive");
    guardCommand->add_option("--run", guarding.run)->required();
    guardCommand->add_option("--attempt", guarding.attempt)->required();
    std::string deviceNeeds;
    guardCommand->add_option(
        "--devices", deviceNeeds,
        "For each node but the head, how many ranks take a GPU there, and which: 2,2:0+3");
    guardCommand->add_option("--root", root, "The agent's folder")->capture_default_str();
    for (CLI::App* subcommand : {renewCommand, guardCommand}) {
        subcommand->add_option("--lease-ms", leaseMs)->required()->check(wholeNumberProblem<1>);
        subcommand->add_option("command", command)->required();
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exitStatus(ErrorKind::BadInput);
    }
    guarding.lease = std::chrono::milliseconds(leaseMs);
    guarding.root = root;
    if (const char* session = std::getenv(RunFolder::kSessionVariable))
        guarding.session = session;
    if (checkCommand->parsed())
        return check(runFolder, program, ownMpi);
    if (bringCommand->parsed())
        return bring(checkpoint);
    if (freeCommand->parsed())
        return checkFreeFor(run, need, device);
    if (reviveCommand->parsed())
        return revive(root);
    if (renewCommand->parsed())
        return runRenewal(guarding.lease, command);
    if (guardCommand->parsed())
        return guard(guarding, deviceNeeds, command);
    sampling.attempt = attempt;
    sampling.interval = std::chrono::milliseconds(intervalMs);
    if (serveCommand->parsed())
        return serve({root, local, readOnly});
    if (probeCommand->parsed())
        return showProbe(root);
    if (watchCommand->parsed())
        return watchJob(runFolder);
    if (superviseCommand->parsed() && inJob)
        return runBatchStep(runFolder, attempt);
    return superviseCommand->parsed() ? supervise(runFolder, attempt) : attend(runFolder, sampling);
}
