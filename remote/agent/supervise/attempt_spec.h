#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// Returns the run's specification with the request's layout and all of its replicas, including those of
/// absent hosts.
Result<RunSpec> specOf(const LaunchRequest& request, const RunFolder& folder);

/// Returns the work of the run's attempts with this request's layout, with all ranks.
Result<RunWork> wholeWorkOf(const LaunchRequest& request, const RunFolder& folder);

/// Returns how the request's layout differs from the specification's: "layout.data 1, layout.tensor 2"; empty
/// = not at all.
std::string layoutChanges(const LaunchRequest& request, const RunFolder& folder);

/// Sets ranks and devices of each node from the request's layout. BadInput or Refused when the run cannot
/// continue with that layout.
Status takeNodesOfLayout(LaunchRequest& request, const RunFolder& folder);

} // namespace trainyard::agent
