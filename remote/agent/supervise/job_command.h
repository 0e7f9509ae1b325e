#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/process.h"
#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// Facts about the head node that the command depends on.
struct HeadNode {
    std::string hostName;
    int cores = 1;
    bool superuser = false;
    std::filesystem::path agent{};   ///< the running agent
    std::filesystem::path session{}; ///< of OpenMPI in this attempt (mpi_sessions.h), on every node
    bool ownRuntime = false;         ///< usesOwnRuntime()
    bool mayUseDevices = false;      ///< mayUseDevices() below
    int daemonPort = 0;              ///< of LaunchRequest's ports, for MPI's daemons; 0 = any
};

/// The complete command that the supervisor starts.
struct JobCommand {
    std::vector<std::string> arguments;
    Environment environment;             ///< complete; the job inherits no other variable
    std::string hostfile;                ///< text of the file that --hostfile names; empty = none
    std::vector<std::string> knownHosts; ///< content of knownHostsPath(); empty = the command does not use it
    std::filesystem::path session{};     ///< of OpenMPI; created before the start
    bool throughMpi = false;
};

std::filesystem::path hostfilePath(const RunFolder& folder, std::uint32_t attempt);
std::filesystem::path knownHostsPath(const RunFolder& folder, std::uint32_t attempt);

/// True when the programs run with the C library and the MPI that their bundle brings (run_program.h), not
/// with the nodes' own: the bundle has them, no batch job starts the ranks, and the specification does not
/// ask for the nodes' MPI. Looks into the bundle on this node; those of the other nodes are the same.
bool usesOwnRuntime(const RunFolder& folder, const RunWork& work, const LaunchRequest& request);

/// Returns a plain worker for one rank, mpirun for several, trainyard-prepare for data. Passes on
/// `inherited`, part of the supervisor's own environment (PATH, HOME, ...). Refused when the nodes have fewer
/// slots than the run has ranks, or a node's agent has another folder than the head's. Reads no file.
Result<JobCommand> jobCommand(const RunFolder& folder, const RunWork& work, const LaunchRequest& request,
                              const HeadNode& head, const Environment& inherited);

/// Returns the command that reaches the other nodes: words separated by blanks; a host and a command follow.
/// It uses the attempt's file of host keys.
std::string remoteShell(const RunFolder& folder, const LaunchRequest& request);

/// Returns the command that checks whether a node can run ranks (node_check.h), as words for remoteShell().
/// `agent`: the head's agent; `ownRuntime`: usesOwnRuntime().
std::vector<std::string> nodeCheckCommand(const RunFolder& folder, const LaunchRequest& request,
                                          const std::filesystem::path& agent, bool ownRuntime = false);

/// Returns the command that checks whether a node is free for `ranks` of the run (usage/free_check.h), as
/// words for remoteShell().
std::vector<std::string> freeCheckCommand(const RunFolder& folder, const RunWork& work,
                                          const LaunchRequest& request, const std::filesystem::path& agent,
                                          const LaunchNode& node, int ranks);

/// Returns true where ranks may compute on GPUs of their choice: launch.device allows it, the engine has its
/// part for CUDA unless it is demanded, and neither Slurm nor the request has chosen for them.
bool mayUseDevices(const RunFolder& folder, const RunWork& work, const LaunchRequest& request);

/// Returns the port for MPI's daemons, one for all nodes: the first one of the upper half of the request's
/// ports that is free on this node, in another order for each run and attempt. 0 when the request names no
/// ports.
int choosePort(const RunFolder& folder, const LaunchRequest& request, const std::function<bool(int)>& isFree);

/// Returns how many ranks of the attempt run on each node that has any, the head first.
std::vector<int> ranksOnNodes(const LaunchRequest& request, int ranks);

/// Returns the folder of this launch's programs.
std::filesystem::path programFolder(const RunFolder& folder, const LaunchRequest& request);

} // namespace trainyard::agent
