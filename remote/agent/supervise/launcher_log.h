#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard::agent {

/// What mpirun said about the rank that failed first.
struct RankExit {
    int rank = 0;
    int signal = 0;   ///< 0 = it exited by itself
    int status = 0;   ///< exit status when signal is 0
    std::string node; ///< empty when mpirun did not name it
};

/// Reads mpirun's messages (OpenMPI 4). Nothing when it named no rank.
std::optional<RankExit> firstRankExit(std::string_view log);

/// The last line that starts with "error: ", without it; empty when there is none.
std::string lastErrorLine(std::string_view log);

} // namespace trainyard::agent
