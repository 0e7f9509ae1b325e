#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// Returns the nodes that take part in an attempt: all but the absent ones.
std::vector<LaunchNode> presentNodes(const LaunchRequest& request);
/// Returns the hosts other than the head, present or not.
std::vector<std::string> otherHosts(const LaunchRequest& request);

/// Returns the request for continuing without the hosts in `away`, on fewer data-parallel ranks, or on all
/// ranks when `away` is empty. Refused, with the reason, where the specification does not allow it.
Result<LaunchRequest> withoutHosts(const LaunchRequest& request, const std::vector<std::string>& away,
                                   const RunSpec& spec);

/// Returns the work of one attempt: the run's work with the number of participating ranks.
Result<RunWork> workOf(const LaunchRequest& request, const RunFolder& folder, const RunWork& whole);

} // namespace trainyard::agent
