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

/// Gives an attempt to Slurm as a batch job and has it watched. `requestText` is the launch request's JSON.
/// As launchRun(), asking again changes nothing, also when the first answer or the job's id got lost. Refused
/// in Slurm's own words, or when Slurm would let the job wait for ever. `goBackTo` as for launchRun().
Result<Submission> submitRun(const RunFolder& folder, const std::string& requestText,
                             std::optional<std::int64_t> goBackTo = {});

/// Everything that can be known beforehand: Refused with what to change.
Status checkSubmission(const std::filesystem::path& agentRoot, const RunSpec& spec);

/// The run's specification when Slurm is to start it.
Result<std::optional<RunSpec>> slurmSpec(const RunFolder& folder);

} // namespace trainyard::agent
