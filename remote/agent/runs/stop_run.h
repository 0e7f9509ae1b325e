#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_requests.h"

namespace trainyard::agent {

struct StopReport {
    bool clean = false;                     ///< no process of the run is left on this machine
    int killed = 0;                         ///< processes that had to be killed, by the supervisor or here
    std::vector<std::string> unreachable{}; ///< nodes of a batch job of which nobody knows what is left there
};

/// Ends the run on this machine and returns when no process of it is left here: through the supervisor on the
/// head node; directly on other nodes, or when the supervisor does not respond. Succeeds for a run that has
/// ended already; waits for one that is being launched. BadInput when there is no such run. Takes up to grace
/// + about 10 s, and up to 30 s more for a launch.
Result<StopReport> stopRun(const RunFolder& folder, const StopOptions& options);

} // namespace trainyard::agent
