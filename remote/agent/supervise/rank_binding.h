#pragma once

#include <string>
#include <vector>

#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// Whether the run has a thread for every core of each host that it uses. In an allocation the other nodes
/// have as many cores for it as the head.
bool ownsItsHosts(const RunWork& work, const LaunchRequest& request, int coresOfHead);

/// mpirun's: each rank is bound to as many cores of its own as it has threads where the run owns its hosts,
/// and else to none, because two bound runs would share the first cores. Cores are counted as in LaunchNode:
/// processors as the kernel shows them, so that two may be threads of one.
std::vector<std::string> bindingArguments(bool ownsHosts, int threadsPerRank);

} // namespace trainyard::agent
