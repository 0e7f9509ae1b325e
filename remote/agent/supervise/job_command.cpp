#include "remote/agent/supervise/job_command.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/spec/names.h"
#include "remote/agent/host/ssh_command.h"
#include "remote/agent/programs/engine_runtime.h"
#include "remote/agent/supervise/allocation_launcher.h"
#include "remote/agent/supervise/rank_binding.h"
#include "remote/agent/usage/device_need.h"

namespace trainyard::agent {

namespace {

using Arguments = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

int totalSlots(const LaunchRequest& request)
{
    int slots = 0;
    for (const LaunchNode& node : request.nodes)
        slots += node.slotCount;
    return slots;
}

/// Nodes that get a rank: mpirun fills them in order.
std::size_t usedNodes(const LaunchRequest& request, int ranks)
{
    std::size_t used = 0;
    for (int filled = 0; used < request.nodes.size() && filled < ranks; ++used)
        filled += request.nodes[used].slotCount;
    return used;
}

Status checkNodes(const RunFolder& folder, const LaunchRequest& request, int ranks)
{
    if (totalSlots(request) < ranks)
        return refused(
            fmt::format("the run has {} ranks, but the nodes have {} slots", ranks, totalSlots(request)),
            "add nodes or slots, or choose a smaller layout");
    for (const LaunchNode& node : request.nodes) {
        if (!node.root.empty() && node.root != folder.agentRoot())
            return refused(
                fmt::format("the agent's folder on {} is {}, but on the head node it is {}", node.host,
                            node.root, folder.agentRoot().string()),
                "ranks are started from the same path everywhere: use the same folder on every host");
    }
    return {};
}

/// True when mpirun, which splits such texts at blanks, and the shells on the nodes take it as one word.
bool isOneWord(const std::filesystem::path& path)
{
    return path.string().find_first_of(" \t\n:,'\"`$&;|<>()*?[]{}~#!\\") == std::string::npos;
}

/// Returns the path of `trainyard-agent` on the nodes: the bundle's, which is the same everywhere.
std::filesystem::path agentOnNodes(const RunFolder& folder, const LaunchRequest& request,
                                   const std::filesystem::path& agent)
{
    return request.bundle.empty() ? agent : programFolder(folder, request) / "trainyard-agent";
}

std::filesystem::path workerProgram(const RunFolder& folder, const LaunchRequest& request)
{
    return programFolder(folder, request) / "trainyard-worker";
}

/// Returns the beginning of a command line that starts a program of the bundle or the installation.
Arguments engineProgram(const RunFolder& folder, const LaunchRequest& request, const HeadNode& head,
                        const std::string& name)
{
    const auto programs = programFolder(folder, request);
    return head.ownRuntime ? Arguments{programs / "trainyard-agent", "exec", name}
                           : Arguments{programs / name};
}

/// The same for mpirun and its daemon.
Arguments mpiProgram(const RunFolder& folder, const LaunchRequest& request, const HeadNode& head,
                     const std::string& name)
{
    return head.ownRuntime ? engineProgram(folder, request, head, name) : Arguments{name};
}

/// Checks the paths that the commands for the other nodes contain.
Status checkPaths(const RunFolder& folder, const LaunchRequest& request, const HeadNode& head, int ranks)
{
    if (request.allocation || usedNodes(request, ranks) < 2)
        return {};
    for (const auto& path : {head.agent, agentOnNodes(folder, request, head.agent),
                             workerProgram(folder, request), folder.path()}) {
        if (!isOneWord(path))
            return refused(
                fmt::format(
                    "{} cannot be passed to other hosts: its path contains a blank or a shell metacharacter",
                    path.string()),
                "choose another folder with TRAINYARD_HOME");
    }
    return {};
}

std::string valueOf(const Environment& environment, std::string_view name)
{
    for (const std::string& entry : environment) {
        if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
            return entry.substr(name.size() + 1);
    }
    return {};
}

/// Variables for every rank. The malloc settings keep big gradient buffers mapped between steps: without them
/// an all-reduce of 64 MB and more runs at less than half the speed.
Variables rankVariables(const RunFolder& folder, const RunWork& work, const LaunchRequest& request,
                        const HeadNode& head, const Environment& inherited)
{
    Variables variables{{"OMP_NUM_THREADS", std::to_string(work.threadsPerRank)},
                        {"MALLOC_MMAP_THRESHOLD_", "4294967296"},
                        {"MALLOC_TRIM_THRESHOLD_", "8589934592"}};
    if (!request.bundle.empty() && !head.ownRuntime) {
        const std::string further = valueOf(inherited, "LD_LIBRARY_PATH");
        variables["LD_LIBRARY_PATH"] = (programFolder(folder, request).parent_path() / "lib").string() +
                                       (further.empty() ? "" : ":" + further);
    }
    for (const auto& [name, value] : request.environment)
        variables[name] = value;
    return variables;
}

/// Marks every process of the attempt, so that the sweep finds it.
Environment markers(const RunFolder& folder, const LaunchRequest& request)
{
    return {folder.marker(), RunFolder::attemptMarker(request.attempt)};
}

/// `inherited` with the variables set over it, and the markers.
Environment joined(const Environment& inherited, const Variables& variables, Environment environment)
{
    for (const auto& [name, value] : variables)
        environment.push_back(name + "=" + value);
    for (const std::string& entry : inherited) {
        if (!variables.contains(entry.substr(0, entry.find('='))))
            environment.push_back(entry);
    }
    return environment;
}

void addParameter(Arguments& arguments, const std::string& name, const std::string& value)
{
    arguments.insert(arguments.end(), {"--mca", name, value});
}

/// Returns the file with the nodes' host keys; empty when there are no keys or another command reaches the
/// nodes.
std::string hostKeysOption(const RunFolder& folder, const LaunchRequest& request)
{
    return request.knownHosts.empty() || !request.rsh.empty()
               ? std::string()
               : knownHostsOption(knownHostsPath(folder, request.attempt));
}

} // namespace

std::string remoteShell(const RunFolder& folder, const LaunchRequest& request)
{
    if (!request.rsh.empty())
        return request.rsh;
    return fmt::format("{}", fmt::join(sshCommand({hostKeysOption(folder, request)}), " "));
}

std::vector<std::string> nodeCheckCommand(const RunFolder& folder, const LaunchRequest& request,
                                          const std::filesystem::path& agent, bool ownRuntime)
{
    Arguments command{
        agentOnNodes(folder, request, agent), "check-node", "--run-dir", folder.path(), "--program",
        workerProgram(folder, request)};
    if (ownRuntime)
        command.push_back("--own-mpi");
    return command;
}

std::vector<std::string> freeCheckCommand(const RunFolder& folder, const RunWork& work,
                                          const LaunchRequest& request, const std::filesystem::path& agent,
                                          const LaunchNode& node, int ranks)
{
    Arguments command{
        agentOnNodes(folder, request, agent),
        "check-free",
        "--run",
        folder.run(),
        "--ranks",
        std::to_string(ranks),
        "--threads",
        std::to_string(work.threadsPerRank),
        "--device",
        std::string(nameOf(mayUseDevices(folder, work, request) ? work.device : DeviceKind::Cpu))};
    if (!node.devices.empty())
        command.insert(command.end(), {"--of", fmt::format("{}", fmt::join(node.devices, ","))});
    return command;
}

bool mayUseDevices(const RunFolder& folder, const RunWork& work, const LaunchRequest& request)
{
    if (work.kind == WorkKind::Prepare || work.device == DeviceKind::Cpu || request.allocation ||
        request.environment.contains("CUDA_VISIBLE_DEVICES"))
        return false;
    std::error_code ignored;
    const auto part = programFolder(folder, request).parent_path() / "lib" / "libtrainyard_cuda.so";
    return work.device == DeviceKind::Cuda || std::filesystem::exists(part, ignored);
}

// In the upper half, because ranks take the first ones. Another one in each run and attempt: on the other
// nodes, where nobody looks, one of another run may have it.
int choosePort(const RunFolder& folder, const LaunchRequest& request, const std::function<bool(int)>& isFree)
{
    if (request.firstPort == 0)
        return 0;
    const int middle = request.firstPort + (request.lastPort - request.firstPort + 1) / 2;
    const auto count = static_cast<std::size_t>(request.lastPort - middle + 1);
    const std::size_t start = std::hash<std::string>()(folder.run()) + request.attempt;
    const auto port = [&](std::size_t place) { return middle + static_cast<int>((start + place) % count); };
    for (std::size_t place = 0; place < count; ++place) {
        if (isFree(port(place)))
            return port(place);
    }
    return port(0); // mpirun says that it is taken
}

std::vector<int> ranksOnNodes(const LaunchRequest& request, int ranks)
{
    std::vector<int> counts;
    for (const LaunchNode& node : request.nodes) {
        if (ranks <= 0)
            break;
        counts.push_back(std::min(node.slotCount, ranks));
        ranks -= counts.back();
    }
    return counts;
}

namespace {

/// What the guards of the nodes take; empty when the ranks compute on the processor.
std::string devicesOfGuards(const RunWork& work, const LaunchRequest& request, const HeadNode& head)
{
    if (!head.mayUseDevices)
        return {};
    const std::vector<int> counts = ranksOnNodes(request, work.ranks);
    std::vector<DeviceNeed> needs;
    for (std::size_t node = 1; node < counts.size(); ++node)
        needs.push_back({counts[node], request.nodes[node].devices});
    return textOf(needs);
}

/// mpirun reaches its daemons through `renew` and `guard`, which keep the nodes' lease.
void addLease(Arguments& arguments, const RunFolder& folder, const RunWork& work,
              const LaunchRequest& request, const HeadNode& head)
{
    const std::string devices = devicesOfGuards(work, request, head);
    const std::string claim =
        !devices.empty() ? fmt::format("--devices {} --root {} ", devices, folder.agentRoot().string()) : "";
    const auto lease = request.lease.count();
    addParameter(arguments, "plm_rsh_agent",
                 fmt::format("{} renew --lease-ms {} -- {}", head.agent.string(), lease,
                             remoteShell(folder, request)));
    addParameter(arguments, "orte_launch_agent",
                 fmt::format("env {}={} {} {} guard --run {} --attempt {} --lease-ms {} {}-- {}",
                             RunFolder::kSessionVariable, head.session.string(),
                             fmt::join(markers(folder, request), " "),
                             agentOnNodes(folder, request, head.agent).string(), folder.run(),
                             request.attempt, lease, claim,
                             fmt::join(mpiProgram(folder, request, head, "orted"), " ")));
    // The daemons stay children of their guards, and all are started at the same time.
    arguments.push_back("--leave-session-attached");
    addParameter(arguments, "plm_rsh_num_concurrent", std::to_string(request.nodes.size() + 1));
}

/// Ranks listen on the first free one of the ports that a firewall leaves open. A daemon would listen on all
/// that it is given and leave none to the ranks, so it gets one.
void addPorts(Arguments& arguments, const LaunchRequest& request, const HeadNode& head)
{
    if (request.firstPort == 0)
        return;
    const std::string daemons = std::to_string(head.daemonPort);
    const std::string first = std::to_string(request.firstPort);
    const std::string count = std::to_string(request.lastPort - request.firstPort + 1);
    for (const char* version : {"4", "6"}) {
        addParameter(arguments, fmt::format("btl_tcp_port_min_v{}", version), first);
        addParameter(arguments, fmt::format("btl_tcp_port_range_v{}", version), count);
        addParameter(arguments, fmt::format("oob_tcp_dynamic_ipv{}_ports", version), daemons);
    }
}

/// Across hosts: which network, how to reach the others, and how fast a dead link is noticed (9 s; OpenMPI's
/// own setting takes minutes). Every node is started from the head, so no node needs a key for another one.
void addNetwork(Arguments& arguments, const LaunchRequest& request, const HeadNode& head, bool sharedMemory)
{
    addParameter(arguments, "btl", sharedMemory ? "self,vader,tcp" : "self,tcp");
    if (!request.interface.empty()) {
        addParameter(arguments, "btl_tcp_if_include", request.interface);
        addParameter(arguments, "oob_tcp_if_include", request.interface);
    }
    if (request.ipv6) {
        addParameter(arguments, "btl_tcp_disable_family", "4");
        addParameter(arguments, "oob_tcp_disable_ipv4_family", "1");
    }
    addPorts(arguments, request, head);
    addParameter(arguments, "plm", "rsh");
    addParameter(arguments, "plm_rsh_no_tree_spawn", "1");
    addParameter(arguments, "oob_tcp_keepalive_time", "4");
    addParameter(arguments, "oob_tcp_keepalive_intvl", "2");
    addParameter(arguments, "oob_tcp_keepalive_probes", "3");
}

/// Too many ranks for the cores must yield while they wait.
void addBinding(Arguments& arguments, const LaunchRequest& request, const RunWork& work, const HeadNode& head)
{
    const LaunchNode& first = request.nodes.front();
    const bool crowded = std::any_of(request.nodes.begin(), request.nodes.end(), [&](const LaunchNode& node) {
        const int cores = &node == &first ? head.cores : node.cores;
        return cores > 0 && node.slotCount > cores;
    });
    if (crowded) {
        arguments.push_back("--oversubscribe");
        addParameter(arguments, "mpi_yield_when_idle", "1");
    }
    const Arguments binding = bindingArguments(ownsItsHosts(work, request, head.cores), work.threadsPerRank);
    arguments.insert(arguments.end(), binding.begin(), binding.end());
}

Arguments mpirun(const RunFolder& folder, const RunWork& work, const LaunchRequest& request,
                 const HeadNode& head, const Variables& variables)
{
    Arguments arguments = mpiProgram(folder, request, head, "mpirun");
    if (head.superuser)
        arguments.push_back("--allow-run-as-root");
    arguments.insert(arguments.end(), {"--hostfile", hostfilePath(folder, request.attempt), "-np",
                                       std::to_string(work.ranks)});
    addBinding(arguments, request, work, head);
    // Copying through the kernel (CMA) is slower than through shared memory for gradients, and forbidden in
    // many containers.
    addParameter(arguments, "btl_vader_single_copy_mechanism", "none");
    addParameter(arguments, "orte_tmpdir_base", head.session);
    addParameter(arguments, "btl_vader_backing_directory", head.session);
    const bool sharedMemory = std::any_of(request.nodes.begin(), request.nodes.end(),
                                          [](const auto& n) { return n.slotCount > 1; });
    if (usedNodes(request, work.ranks) > 1) {
        addNetwork(arguments, request, head, sharedMemory);
        addLease(arguments, folder, work, request, head);
    } else
        addParameter(arguments, "plm",
                     "isolated"); // only this machine: neither ssh nor a batch system
    arguments.insert(arguments.end(), {"-x", "TRAINYARD_RUN", "-x", RunFolder::kAttemptVariable});
    for (const auto& [name, value] : variables)
        arguments.insert(arguments.end(), {"-x", name + "=" + value});
    return arguments;
}

Arguments worker(const RunFolder& folder, const RunWork& work, const LaunchRequest& request,
                 const HeadNode& head)
{
    Arguments arguments = engineProgram(folder, request, head, "trainyard-worker");
    arguments.insert(arguments.end(), {std::string(nameOf(work.kind)), "--run-dir", folder.path(),
                                       "--attempt", std::to_string(request.attempt)});
    if (request.replicas > 0)
        arguments.insert(arguments.end(), {"--replicas", std::to_string(request.replicas)});
    if (request.learningRate > 0)
        arguments.insert(arguments.end(), {"--learning-rate", fmt::format("{}", request.learningRate)});
    if (!request.layout.empty())
        arguments.insert(arguments.end(), {"--layout", request.layout});
    return arguments;
}

Arguments dataJob(const RunFolder& folder, const RunWork& work, const LaunchRequest& request,
                  const HeadNode& head)
{
    Arguments arguments = engineProgram(folder, request, head, work.program());
    const auto own = static_cast<std::ptrdiff_t>(arguments.size());
    arguments.push_back(work.command);
    arguments.insert(arguments.end(), work.arguments.begin(), work.arguments.end());
    // Behind "--" it would not be taken for an option.
    const auto place = std::find(arguments.begin() + own, arguments.end(), "--");
    arguments.insert(place, {"--run-dir", folder.path()});
    return arguments;
}

std::string hostfileText(const LaunchRequest& request, int ranks, const HeadNode& head)
{
    std::string text;
    for (std::size_t i = 0; i < usedNodes(request, ranks); ++i) {
        const LaunchNode& node = request.nodes[i];
        // The head by its own host name, or mpirun would log in to its own machine.
        text += fmt::format("{} slots={}\n", i == 0 ? head.hostName : node.host, node.slotCount);
    }
    return text;
}

} // namespace

std::filesystem::path hostfilePath(const RunFolder& folder, std::uint32_t attempt)
{
    return folder.attempts() / fmt::format("{:04}.hosts", attempt);
}

std::filesystem::path knownHostsPath(const RunFolder& folder, std::uint32_t attempt)
{
    return folder.attempts() / fmt::format("{:04}.known_hosts", attempt);
}

std::filesystem::path programFolder(const RunFolder& folder, const LaunchRequest& request)
{
    return request.bundle.empty() ? request.programs
                                  : folder.agentRoot() / "bundles" / request.bundle / "bin";
}

bool usesOwnRuntime(const RunFolder& folder, const RunWork& work, const LaunchRequest& request)
{
    if (request.bundle.empty() || request.allocation || work.mpi != MpiSource::Bundled)
        return false;
    return EngineRuntime::in(programFolder(folder, request).parent_path()).has_value();
}

Result<JobCommand> jobCommand(const RunFolder& folder, const RunWork& work, const LaunchRequest& request,
                              const HeadNode& head, const Environment& inherited)
{
    TRAINYARD_TRY_STATUS(checkNodes(folder, request, work.ranks));
    TRAINYARD_TRY_STATUS(checkPaths(folder, request, head, work.ranks));
    JobCommand command;
    const Variables variables = rankVariables(folder, work, request, head, inherited);
    command.environment = joined(inherited, variables, markers(folder, request));
    if (work.kind == WorkKind::Prepare) {
        command.arguments = dataJob(folder, work, request, head);
        command.environment.push_back("TRAINYARD_AGENT=" + head.agent.string());
        return command;
    }
    command.arguments = worker(folder, work, request, head);
    command.throughMpi = work.ranks > 1;
    command.session = head.session;
    if (!request.allocation && !hostKeysOption(folder, request).empty())
        command.knownHosts = request.knownHosts; // also for a single rank, to probe absent hosts
    if (command.throughMpi && request.allocation) {
        const RankPlacement placement{work.ranks, work.threadsPerRank,
                                      ownsItsHosts(work, request, head.cores)};
        const Arguments launcher =
            allocationLauncher(request, placement, head.superuser, folder.marker(), variables);
        command.arguments.insert(command.arguments.begin(), launcher.begin(), launcher.end());
        command.environment = joined(inherited, {}, markers(folder, request));
    } else if (command.throughMpi) {
        const Arguments launcher = mpirun(folder, work, request, head, variables);
        command.arguments.insert(command.arguments.begin(), launcher.begin(), launcher.end());
        command.hostfile = hostfileText(request, work.ranks, head);
        // The ranks' variables are not the launcher's: it may run with the system's libraries.
        command.environment = joined(inherited, {}, markers(folder, request));
    }
    return command;
}

} // namespace trainyard::agent
