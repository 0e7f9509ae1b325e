#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/slurm/job_facts.h"
#include "remote/agent/slurm/partition.h"

namespace trainyard::agent {

// Slurm's own commands, with the part of our environment that is theirs. They may take as long as Slurm's
// controller does; any thread.

/// What Slurm knows of the job; nothing when it has forgotten it, which it does some minutes after the end.
/// Unreachable while its controller does not answer.
Result<std::optional<JobFacts>> askJob(const std::string& id);
/// The id of this user's job of that name that has not ended; empty when there is none.
Result<std::string> findJob(const std::string& name);
Result<std::vector<Partition>> askPartitions();

/// Runs `sbatch` with these arguments; the job's id. Refused in Slurm's words, with what to change.
Result<std::string> submitJob(const std::vector<std::string>& sbatch);
/// Asks whether Slurm would take such a job, without submitting it.
Status testJob(std::vector<std::string> sbatch);

Status cancelJob(const std::string& id);
/// SIGTERM for the batch step alone: our supervisor.
Status warnJob(const std::string& id);
/// Puts the job into the queue again; it starts anew where Slurm finds nodes.
Status requeueJob(const std::string& id);

/// Those of "node[2-3,7]" that do not answer Slurm.
Result<std::vector<std::string>> silentNodes(const std::string& list);

/// The host names that "node[2-3,7]" stands for, in Slurm's order.
Result<std::vector<std::string>> expandHosts(const std::string& list);

} // namespace trainyard::agent
