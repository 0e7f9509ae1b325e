#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// The nodes that take part in an attempt: all but those that are away.
std::vector<LaunchNode> presentNodes(const LaunchRequest& request);
/// The hosts beside the head, present or not.
std::vector<std::string> otherHosts(const LaunchRequest& request);

/// The request for going on without the hosts in `away`, on fewer data-parallel ranks; with none of them
/// away, on all again. Refused where the specification does not allow it, and says why.
Result<LaunchRequest> withoutHosts(const LaunchRequest& request, const std::vector<std::string>& away,
                                   const RunSpec& spec);

/// What the attempt of `request` does: the run's work, with the number of ranks that take part.
Result<RunWork> workOf(const LaunchRequest& request, const RunFolder& folder, const RunWork& whole);

} // namespace trainyard::agent
