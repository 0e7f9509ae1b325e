#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/host/process.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// What the supervisor knows about the machine it is on.
struct HeadNode {
    std::string hostName;
    int cores = 1;
    bool superuser = false;
    std::filesystem::path agent{};   ///< this very program
    std::filesystem::path session{}; ///< of OpenMPI in this attempt (mpi_sessions.h), on every node
};

/// The program that the supervisor starts, complete.
struct JobCommand {
    std::vector<std::string> arguments;
    Environment environment; ///< the whole of it: nothing is inherited that is not listed here on purpose
    std::string hostfile;    ///< text of the file that --hostfile names; empty = none
    std::vector<std::string> knownHosts; ///< of knownHostsPath(), when the command names that file
    std::filesystem::path session{};     ///< of OpenMPI, to be made before it starts
    bool throughMpi = false;
};

std::filesystem::path hostfilePath(const RunFolder& folder, std::uint32_t attempt);
std::filesystem::path knownHostsPath(const RunFolder& folder, std::uint32_t attempt);

/// A worker alone for one rank, mpirun for several, trainyard-prepare for data. `inherited` is the part of
/// the supervisor's own environment that goes on (PATH, HOME, ...). Refused when the nodes have fewer slots
/// than the run has ranks, or one of them keeps its agent elsewhere than the head. Looks at no file.
Result<JobCommand> jobCommand(const RunFolder& folder, const RunWork& work, const LaunchRequest& request,
                              const HeadNode& head, const Environment& inherited);

/// How the other nodes are reached: words separated by blanks; a host and a command follow. The file with
/// their host keys is that of the attempt.
std::string remoteShell(const RunFolder& folder, const LaunchRequest& request);

/// By which a node is asked whether it can carry ranks (node_check.h), as words for remoteShell(). `agent`:
/// of the head; `mark`: what the node has to see in the run's folder, or empty.
std::vector<std::string> nodeCheckCommand(const RunFolder& folder, const LaunchRequest& request,
                                          const std::filesystem::path& agent,
                                          const std::filesystem::path& mark);

/// Where the programs of this launch are.
std::filesystem::path programFolder(const RunFolder& folder, const LaunchRequest& request);

} // namespace trainyard::agent
