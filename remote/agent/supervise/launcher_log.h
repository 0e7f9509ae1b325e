#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard::agent {

/// The launcher's report on the rank that failed first.
struct RankExit {
    int rank = 0;
    int signal = 0;   ///< 0 = it exited by itself
    int status = 0;   ///< exit status when signal is 0
    std::string node; ///< empty = unknown
};

/// Parses the messages of mpirun (OpenMPI 4) or srun. Returns nullopt when they name no rank.
std::optional<RankExit> firstRankExit(std::string_view log);

/// Returns the node whose daemon mpirun lost, because the host or the daemon is gone. Empty when it lost
/// none.
std::string lostNode(std::string_view log);

/// Returns true when mpirun could not start its daemon on a node, because it is unreachable or lacks OpenMPI.
bool daemonDidNotStart(std::string_view log);

/// Returns the last line that starts with "error: ", without that prefix; empty when there is none.
std::string lastErrorLine(std::string_view log);

} // namespace trainyard::agent
