#pragma once

#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/slurm/batch_job.h"
#include "remote/agent/supervise/supervisor.h"

namespace trainyard::agent {

/// Returns the function by which the supervisor inside a job requeues the job instead of starting the next
/// attempt: where a node of the job does not respond and the specification allows it. The ranks fail long
/// before Slurm gives up a node, and the end of the batch step would end the job.
Supervisor::Requeue onLostNode(const RunFolder& folder, const BatchJob& job, const RunSpec& spec);

} // namespace trainyard::agent
