#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/process.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

struct RankPlacement {
    int ranks = 1;
    int threadsPerRank = 1;
    bool ownsHosts = false; ///< ownsItsHosts()
};

/// Returns the command that starts the ranks of a run on the nodes of the current Slurm job, without the
/// worker's own arguments. `marker` and `variables` reach every rank.
std::vector<std::string> allocationLauncher(const LaunchRequest& request, const RankPlacement& placement,
                                            bool superuser, const std::string& marker,
                                            const std::map<std::string, std::string>& variables);

/// Returns the variables that Slurm set for the batch step, for the launchers.
Environment slurmVariables();

} // namespace trainyard::agent
