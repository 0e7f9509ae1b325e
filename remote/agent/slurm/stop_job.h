#pragma once

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/stop_run.h"

namespace trainyard::agent {

/// Ends the run's batch job and returns when Slurm reports that it is gone from every node and the run's
/// final state is written. Cancels a waiting job; asks a running one first, and cancels it when its grace
/// period is over, or immediately where a full disk does not take the request. Not clean when Slurm cannot
/// end it, or has lost nodes of it. A run that never had a job is clean.
Result<StopReport> stopJob(const RunFolder& folder, const StopOptions& options);

/// Refused while the run's batch job may exist, watched or not: it works in the run's directory.
Status checkRemovable(const RunFolder& folder);

} // namespace trainyard::agent
