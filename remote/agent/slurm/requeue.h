#pragma once

#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/slurm/batch_job.h"
#include "remote/agent/supervise/supervisor.h"

namespace trainyard::agent {

/// What the supervisor inside a job does instead of starting the next attempt itself: where a node of the job
/// does not answer and the specification allows it, the job is requeued. The ranks fail long before Slurm
/// gives a node up, and a batch step that ends takes the job along.
Supervisor::Requeue onLostNode(const RunFolder& folder, const BatchJob& job, const RunSpec& spec);

} // namespace trainyard::agent
