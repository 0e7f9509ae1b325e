#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// The run's specification, spread as the request says; with all of its replicas, whatever hosts are away.
Result<RunSpec> specOf(const LaunchRequest& request, const RunFolder& folder);

/// What the attempts of a run with this request's layout do, with all ranks.
Result<RunWork> wholeWorkOf(const LaunchRequest& request, const RunFolder& folder);

/// In what the request's layout differs from the specification's: "layout.data 1, layout.tensor 2"; empty =
/// nothing.
std::string layoutChanges(const LaunchRequest& request, const RunFolder& folder);

/// The layout of a request says how many ranks each of its nodes has. BadInput or Refused when it is none
/// that the run can go on with.
Status takeSlotsOfLayout(LaunchRequest& request, const RunFolder& folder);

} // namespace trainyard::agent
