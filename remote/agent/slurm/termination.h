#pragma once

#include <chrono>
#include <ctime>
#include <string>

#include "engine/spec/run_spec.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/slurm/job_facts.h"
#include "remote/agent/supervise/supervisor.h"

namespace trainyard::agent {

/// Slurm may warn up to a minute earlier than requested.
constexpr std::chrono::seconds kEarlyWarning{90};

/// Returns why Slurm sent SIGTERM to the batch step: "time limit of Slurm job 17". `left`: time until the
/// job's end. "stopped by request" when no event of Slurm's explains it.
std::string terminationCause(const JobFacts& job, std::chrono::milliseconds warning,
                             std::chrono::seconds left);

/// Returns the time until a time of Slurm's, "2026-11-22T04:37:52" as its commands print it in this process's
/// time zone; a day when it cannot be parsed.
std::chrono::seconds timeUntil(const std::string& time, std::time_t now);

/// Returns the supervisor's reaction to SIGTERM inside a job: asks the ranks for a checkpoint and to end.
Supervisor::TerminationHandler onTermination(const RunFolder& folder, const std::string& job,
                                             const RunSpec& spec);

} // namespace trainyard::agent
