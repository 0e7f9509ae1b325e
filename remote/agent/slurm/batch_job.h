#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/host/process.h"

namespace trainyard::agent {

/// The batch job that this process is in, as its environment tells.
struct BatchJob {
    std::string id;
    int restarts = 0;               ///< how often it was requeued
    std::vector<std::string> nodes; ///< host names, the batch step's first
};

/// BadInput where this is no job of Slurm's.
Result<BatchJob> ownBatchJob();

/// Runs a small program once on every node of the job that this process is in; its output. Gives it a minute.
Result<CommandOutput> runOnNodes(const BatchJob& job, const std::vector<std::string>& program);

} // namespace trainyard::agent
