#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

struct LaunchNode {
    std::string host; ///< as the head reaches it
    int slots = 1;    ///< ranks there
    int cores = 0;    ///< 0 = unknown
    std::string root; ///< agent root there; empty = the head's
};

/// One attempt as it was asked for. Kept in the run's directory as attempts/NNNN.json.
struct LaunchRequest {
    std::uint32_t attempt = 1;
    std::string bundle;                             ///< id; empty = `programs`
    std::filesystem::path programs;                 ///< absolute folder of installed programs
    std::vector<LaunchNode> nodes;                  ///< the head first
    std::string interface;                          ///< "10.1.0.0/16" or "eth0"; empty = MPI chooses
    std::string rsh;                                ///< how mpirun reaches the other nodes
    std::map<std::string, std::string> environment; ///< further variables of the ranks
};

/// BadInput naming the field. Every text that ends up in a hostfile, a command line or an environment is
/// checked against a strict alphabet.
Result<LaunchRequest> parseLaunchRequest(std::string_view json);
std::string toJson(const LaunchRequest& request);

/// The host of a rank: mpirun fills the nodes in order, slot by slot. Empty when there are not so many slots.
std::string hostOfRank(const LaunchRequest& request, int rank);

} // namespace trainyard::agent
