#pragma once

#include <optional>
#include <string>

#include "engine/records/record.h"
#include "remote/agent/slurm/job_facts.h"

namespace trainyard::agent {

/// The final state of a job and its reason.
struct JobEnding {
    RunState state = RunState::Failed;
    std::string reason; ///< one sentence
};

/// Describes the end of a job whose supervisor could not report it. `job` is nullopt when Slurm no longer
/// knows the job. `stopAsked`: a user asked the run to stop; `words`: last output of the batch step, may be
/// empty; `output`: Slurm's file with that output.
JobEnding endingOf(const std::string& id, const std::optional<JobFacts>& job, bool stopAsked,
                   const std::string& words, const std::string& output);

} // namespace trainyard::agent
