#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard::agent {

/// What the launcher said about the rank that failed first.
struct RankExit {
    int rank = 0;
    int signal = 0;   ///< 0 = it exited by itself
    int status = 0;   ///< exit status when signal is 0
    std::string node; ///< empty when it was not named
};

/// Reads the messages of mpirun (OpenMPI 4) or srun. Nothing when they name no rank.
std::optional<RankExit> firstRankExit(std::string_view log);

/// The node whose daemon mpirun lost: the host is gone, or the daemon. Empty when it lost none.
std::string lostNode(std::string_view log);

/// True when mpirun could not start its daemon on some node: that one was not reached, or lacks OpenMPI.
bool daemonDidNotStart(std::string_view log);

/// The last line that starts with "error: ", without it; empty when there is none.
std::string lastErrorLine(std::string_view log);

} // namespace trainyard::agent
