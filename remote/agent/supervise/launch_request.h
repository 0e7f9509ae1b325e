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
    std::string host;                   ///< as the head reaches it
    int slotCount = 1;                  ///< ranks there
    int cores = 0;                      ///< 0 = unknown
    std::string root;                   ///< agent root there; empty = the head's
    std::vector<std::string> devices{}; ///< GPUs that its ranks may take (device_name.h); empty = any
};

/// The Slurm batch job that the attempt runs in.
struct Allocation {
    std::string job;     ///< id
    std::string starter; ///< starts the ranks: "mpirun", or srun with --mpi "pmix" or "pmi2"
};

/// One attempt as requested. Kept in the run's directory as attempts/NNNN.json.
struct LaunchRequest {
    std::uint32_t attempt = 1;
    std::string bundle;                             ///< id; empty = `programs`
    std::filesystem::path programs;                 ///< absolute folder of installed programs
    std::vector<LaunchNode> nodes;                  ///< the head first
    std::string interface;                          ///< "10.1.0.0/16" or "eth0"; empty = MPI chooses
    bool ipv6 = false;                              ///< `interface` is to be used with IPv6 alone
    int firstPort = 0;                              ///< of TCP, for MPI; 0 = any port
    int lastPort = 0;                               ///< at least the first
    std::string rsh;                                ///< how mpirun reaches the other nodes; empty = ssh
    std::vector<std::string> knownHosts;            ///< of the nodes, whose keys the client has verified
    std::map<std::string, std::string> environment; ///< further variables of the ranks
    std::optional<Allocation> allocation;           ///< written by the batch job, once its nodes are known
    /// A run that hangs for this long is given up and restarted; 0 = it is only reported.
    std::chrono::milliseconds stallLimit{10 * 60'000};
    /// The ranks of a node that hears nothing from the head for this long end by themselves.
    std::chrono::milliseconds lease{50'000};
    /// How long an attempt waits for hosts that do not respond, if it follows another one or waits for
    /// devices.
    std::chrono::milliseconds waitForHosts{15 * 60'000};
    /// Interval of the search for absent hosts.
    std::chrono::milliseconds lookForHosts{30'000};
    RestartCount restarts{};         ///< that led to this attempt
    std::vector<std::string> away{}; ///< hosts of `nodes` that take no part: absent, unable or paused
    /// With fewer data-parallel ranks than this, a rank would need more memory than its host has.
    int leastReplicas = 0;
    int replicas = 0; ///< data-parallel degree; 0 = the specification's
    /// Peak learning rate of the schedule; 0 = the specification's.
    double learningRate = 0;
    /// Layout over the nodes (engine/spec/layout_change.h); empty = the specification's.
    std::string layout{};
};

/// BadInput naming the field. Checks every text for a hostfile, a command line or an environment against a
/// strict alphabet.
Result<LaunchRequest> parseLaunchRequest(std::string_view json);
std::string toJson(const LaunchRequest& request);

/// Takes the learning rate and the layout from the previous attempt, whose file is `before`, where the
/// request names none. Ignores a file that is missing or cannot be read.
void keepChanges(LaunchRequest& request, const std::filesystem::path& before);

/// Returns the host of a rank: mpirun fills the nodes in order, slot by slot. Empty when there are fewer
/// slots.
std::string hostOfRank(const LaunchRequest& request, int rank);

} // namespace trainyard::agent
