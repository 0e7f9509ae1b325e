#pragma once

#include <string>
#include <vector>

#include "engine/base/process.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// The batch job of this process, read from its environment.
struct BatchJob {
    std::string id;
    int restarts = 0;               ///< how often it was requeued
    std::vector<std::string> nodes; ///< host names, the batch step's first
};

/// BadInput when this process is not in a Slurm job.
Result<BatchJob> ownBatchJob();

/// Runs a small program once on every node of the current job and returns its output, within a minute.
Result<CommandOutput> runOnNodes(const BatchJob& job, const std::vector<std::string>& program);

} // namespace trainyard::agent
