#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/slurm/job_facts.h"

namespace trainyard::agent {

/// The batch job of a run: what slurm.json holds. Written when it is submitted.
struct SlurmJob {
    std::string id;
    std::uint32_t attempt = 1; ///< with which it began; every requeue begins a further one
};

/// Nothing when the run has no job, or the file is not one.
std::optional<SlurmJob> readSlurmJob(const RunFolder& folder);
Status writeSlurmJob(const RunFolder& folder, const SlurmJob& job);

/// What Slurm says of the run's job. Nothing when it has forgotten it, and when it has given the number to
/// another job since, as a controller does that lost its state.
Result<std::optional<JobFacts>> askJob(const RunFolder& folder, const SlurmJob& job);
/// Refused while the job waits or is at work, Unreachable while that is not known.
Status checkIsOver(const RunFolder& folder, const SlurmJob& job);

/// The attempt that the job is in after so many requeues. A supervisor may have begun attempts of its own, so
/// the last one that was signed before this requeue counts too.
std::uint32_t attemptOf(const SlurmJob& job, int restarts, std::uint32_t lastSigned);
/// By a supervisor; 0 before the first one.
std::uint32_t lastSignedAttempt(const RunFolder& folder);

} // namespace trainyard::agent
