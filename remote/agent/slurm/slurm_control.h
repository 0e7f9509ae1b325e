#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/slurm/job_facts.h"
#include "remote/agent/slurm/partition.h"

namespace trainyard::agent {

// Slurm's own commands, run with the part of our environment that is theirs. They may take as long as Slurm's
// controller does; any thread.

/// Returns Slurm's facts about the job; nullopt when it no longer knows it, some minutes after the end.
/// Unreachable while its controller does not respond.
Result<std::optional<JobFacts>> askJob(const std::string& id);
/// Returns the id of this user's unfinished job of that name; empty when there is none.
Result<std::string> findJob(const std::string& name);
Result<std::vector<Partition>> askPartitions();

/// Runs `sbatch` with these arguments and returns the job's id. Refused with Slurm's message and a hint.
Result<std::string> submitJob(const std::vector<std::string>& sbatch);
/// Asks whether Slurm would take such a job, without submitting it.
Status testJob(std::vector<std::string> sbatch);

Status cancelJob(const std::string& id);
/// SIGTERM for the batch step alone: our supervisor.
Status warnJob(const std::string& id);
/// Puts the job back into the queue; it restarts where Slurm finds nodes.
Status requeueJob(const std::string& id);

/// Returns the nodes of "node[2-3,7]" that do not respond to Slurm.
Result<std::vector<std::string>> silentNodes(const std::string& list);

/// Expands "node[2-3,7]" to host names, in Slurm's order.
Result<std::vector<std::string>> expandHosts(const std::string& list);

} // namespace trainyard::agent
