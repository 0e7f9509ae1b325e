#pragma once

#include <optional>
#include <string>

#include "engine/records/record.h"
#include "remote/agent/slurm/job_facts.h"

namespace trainyard::agent {

/// What there is to say of a job that ended.
struct JobEnding {
    RunState state = RunState::Failed;
    std::string reason; ///< one sentence
};

/// For a job whose supervisor could not speak any more. `job` is nothing when Slurm has forgotten it.
/// `stopAsked`: somebody asked the run to stop; `words`: the last that the batch step said, may be empty;
/// `output`: the file of Slurm's that holds them.
JobEnding endingOf(const std::string& id, const std::optional<JobFacts>& job, bool stopAsked,
                   const std::string& words, const std::string& output);

} // namespace trainyard::agent
