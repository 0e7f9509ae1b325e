#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/supervise/restart_policy.h"

namespace trainyard::agent {

struct LaunchNode {
    std::string host; ///< as the head reaches it
    int slots = 1;    ///< ranks there
    int cores = 0;    ///< 0 = unknown
    std::string root; ///< agent root there; empty = the head's
};

/// The batch job of Slurm's that the attempt runs in.
struct Allocation {
    std::string job;     ///< its id
    std::string starter; ///< of the ranks: "mpirun", or srun's --mpi: "pmix", "pmi2"
};

/// One attempt as it was asked for. Kept in the run's directory as attempts/NNNN.json.
struct LaunchRequest {
    std::uint32_t attempt = 1;
    std::string bundle;                             ///< id; empty = `programs`
    std::filesystem::path programs;                 ///< absolute folder of installed programs
    std::vector<LaunchNode> nodes;                  ///< the head first
    std::string interface;                          ///< "10.1.0.0/16" or "eth0"; empty = MPI chooses
    std::string rsh;                                ///< how mpirun reaches the other nodes; empty = ssh
    std::vector<std::string> knownHosts;            ///< of the nodes, as the desk has verified their keys
    std::map<std::string, std::string> environment; ///< further variables of the ranks
    std::optional<Allocation> allocation;           ///< written by the job itself, which knows its nodes
    /// A run that hangs for so long is given up and starts again; 0 = it is only reported.
    std::chrono::milliseconds stallLimit{10 * 60'000};
    /// The ranks of a node that hears nothing from the head for so long end by themselves.
    std::chrono::milliseconds lease{50'000};
    /// An attempt that goes on waits so long for hosts that do not answer.
    std::chrono::milliseconds waitForHosts{15 * 60'000};
    /// How often hosts that are away are looked for.
    std::chrono::milliseconds lookForHosts{30'000};
    RestartCount restarts{};         ///< that led to this attempt
    std::vector<std::string> away{}; ///< hosts of `nodes` that cannot carry ranks, or are left alone
    /// With fewer data-parallel ranks than these a rank would need more memory than the hosts have.
    int leastReplicas = 0;
    int replicas = 0; ///< data-parallel degree instead of the specification's; 0 = that one
    /// Peak of the schedule instead of the specification's; 0 = that one.
    double learningRate = 0;
    /// Spread over the nodes as this says (engine/spec/layout_change.h); empty = as the specification does.
    std::string layout{};
};

/// BadInput naming the field. Every text that ends up in a hostfile, a command line or an environment is
/// checked against a strict alphabet.
Result<LaunchRequest> parseLaunchRequest(std::string_view json);
std::string toJson(const LaunchRequest& request);

/// A request that names no learning rate, or no layout, goes on with that of the attempt before, whose file
/// is `before`; of one that is not there or cannot be read, nothing is kept.
void keepChanges(LaunchRequest& request, const std::filesystem::path& before);

/// The host of a rank: mpirun fills the nodes in order, slot by slot. Empty when there are not so many slots.
std::string hostOfRank(const LaunchRequest& request, int rank);

} // namespace trainyard::agent
