#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/slurm/job_facts.h"

namespace trainyard::agent {

/// The batch job of a run, as slurm.json holds it. Written at submission.
struct SlurmJob {
    std::string id;
    std::uint32_t attempt = 1; ///< with which it began; every requeue begins a further one
};

/// Returns nullopt when the run has no job, or the file is invalid.
std::optional<SlurmJob> readSlurmJob(const RunFolder& folder);
Status writeSlurmJob(const RunFolder& folder, const SlurmJob& job);

/// Returns Slurm's facts about the run's job. nullopt when Slurm no longer knows it, or has reused its number
/// for another job, as a controller does that lost its state.
Result<std::optional<JobFacts>> askJob(const RunFolder& folder, const SlurmJob& job);
/// Refused while the job is waiting or running, Unreachable while that is unknown.
Status checkIsOver(const RunFolder& folder, const SlurmJob& job);

/// Returns the attempt that the job is in after its requeues. A supervisor may have started further attempts
/// itself, so the last one recorded before this requeue counts as well.
std::uint32_t attemptOf(const SlurmJob& job, int restarts, std::uint32_t lastSigned);
/// The last attempt recorded by a supervisor; 0 before the first one.
std::uint32_t lastSignedAttempt(const RunFolder& folder);

} // namespace trainyard::agent
