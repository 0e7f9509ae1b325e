#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

struct Submission {
    bool submitted = false; ///< false: this attempt had its job already
    std::string job;
};

/// Submits an attempt to Slurm as a batch job and starts its watch. `requestText` is the launch request's
/// JSON. As with launchRun(), repeating it changes nothing, even when the first answer or the job's id was
/// lost. Refused with Slurm's message, or when Slurm would let the job wait for ever. `goBackTo` as for
/// launchRun().
Result<Submission> submitRun(const RunFolder& folder, const std::string& requestText,
                             std::optional<std::int64_t> goBackTo = {});

/// What a job of this specification would be.
struct PlannedJob {
    bool requestsGpus = false;
};
/// Checks everything that can be known beforehand: Refused with a hint.
Result<PlannedJob> checkSubmission(const std::filesystem::path& agentRoot, const RunSpec& spec);

/// Returns the run's specification if Slurm is to start it.
Result<std::optional<RunSpec>> slurmSpec(const RunFolder& folder);

} // namespace trainyard::agent
