#pragma once

#include <map>
#include <string>
#include <vector>

#include "remote/agent/host/process.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// What starts the ranks of a run on the nodes that Slurm has given to the job that we are in, without the
/// worker's own arguments. `marker` and `variables` reach every rank.
std::vector<std::string> allocationLauncher(const LaunchRequest& request, int ranks, int threadsPerRank,
                                            bool superuser, const std::string& marker,
                                            const std::map<std::string, std::string>& variables);

/// What Slurm tells a batch step of its job, for the launchers that read it.
Environment slurmVariables();

} // namespace trainyard::agent
