#include "remote/agent/slurm/job_end.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace trainyard::agent {

namespace {

constexpr int kCannotOpenFiles = 53; ///< "signal" of a job whose output file Slurm could not open

struct Known {
    std::string_view state; ///< Slurm's
    RunState runState;
    std::string_view words;
};
constexpr std::array<Known, 9> kKnown{{
    {"CANCELLED", RunState::Stopped, "was cancelled in Slurm"},
    {"PREEMPTED", RunState::Stopped, "was preempted by Slurm"},
    {"TIMEOUT", RunState::Stopped, "reached its time limit before it could save a checkpoint"},
    {"DEADLINE", RunState::Stopped, "reached its deadline"},
    {"NODE_FAIL", RunState::Failed, "lost a node"},
    {"OUT_OF_MEMORY", RunState::Failed, "was killed by Slurm: it used more memory than requested"},
    {"BOOT_FAIL", RunState::Failed, "was given nodes that failed to boot"},
    {"LAUNCH_FAILED", RunState::Failed, "could not be started on its nodes"},
    {"COMPLETED", RunState::Failed, "ended without a report from its supervisor"},
}};

std::string where(const JobFacts& job)
{
    return job.batchHost.empty() ? std::string() : " on " + job.batchHost;
}

JobEnding failure(const std::string& name, const JobFacts& job, const std::string& words,
                  const std::string& output)
{
    if (!words.empty())
        return {RunState::Failed, fmt::format("{}{}: {}", name, where(job), words)};
    if (job.exitSignal == kCannotOpenFiles)
        return {
            RunState::Failed,
            fmt::format("{} could not open {}{}: the agent's folder must be on a file system that the nodes "
                        "and the login host share",
                        name, output, where(job))};
    const std::string reason = job.reason.empty() ? std::string() : " (" + job.reason + ")";
    return {RunState::Failed,
            job.exitSignal != 0
                ? fmt::format("{} was killed by signal {}{}{}", name, job.exitSignal, where(job), reason)
                : fmt::format("{} ended with status {}{}{}", name, job.exitStatus, where(job), reason)};
}

} // namespace

JobEnding endingOf(const std::string& id, const std::optional<JobFacts>& job, bool stopAsked,
                   const std::string& words, const std::string& output)
{
    const std::string name = "Slurm job " + id;
    if (stopAsked)
        return {RunState::Stopped, "stopped by request"};
    if (!job)
        return {RunState::Failed, name + " ended, and Slurm no longer knows how"};
    const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                    [&](const Known& entry) { return entry.state == job->state; });
    if (known == kKnown.end())
        return failure(name, *job, words, output);
    std::string reason = fmt::format("{} {}", name, known->words);
    if (known->runState == RunState::Failed && !words.empty())
        reason += ": " + words;
    return {known->runState, reason};
}

} // namespace trainyard::agent
