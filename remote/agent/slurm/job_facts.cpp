#include "remote/agent/slurm/job_facts.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace trainyard::agent {

namespace {

constexpr std::size_t kMaxErrorLength = 500;

constexpr std::array<std::string_view, 6> kWaiting{"PENDING",      "REQUEUED",     "REQUEUE_FED",
                                                   "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
constexpr std::array<std::string_view, 12> kEnded{"BOOT_FAIL", "CANCELLED",     "COMPLETED",     "DEADLINE",
                                                  "FAILED",    "NODE_FAIL",     "OUT_OF_MEMORY", "PREEMPTED",
                                                  "TIMEOUT",   "LAUNCH_FAILED", "RECONFIG_FAIL", "REVOKED"};

struct Explanation {
    std::string_view reason; ///< Slurm's, or how it begins
    std::string_view words;
};
constexpr std::array<Explanation, 16> kExplanations{{
    {"Priority", "other jobs have a higher priority"},
    {"Resources", "waiting for free nodes"},
    {"BeginTime", "waiting for its begin time, as after a requeue"},
    {"PartitionConfig", "requests more than the partition allows"},
    {"PartitionTimeLimit", "its time limit exceeds the partition's"},
    {"PartitionNodeLimit", "requests more nodes than the partition allows"},
    {"PartitionDown", "the partition is down"},
    {"PartitionInactive", "the partition accepts no jobs"},
    {"JobHeldUser", "held by its user"},
    {"JobHeldAdmin", "held by an administrator"},
    {"launch_failed", "Slurm could not start it on its nodes"},
    {"job_requeued_in_held_state", "held after a requeue"},
    {"JobHoldMaxRequeue", "requeued too often"},
    {"ReqNodeNotAvail", "required nodes are unavailable"},
    {"Nodes_required", "required nodes are down or drained"},
    {"QOS", "limited by its quality of service"},
}};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

int numberIn(std::string_view text)
{
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string timeIn(std::string_view text)
{
    return text.size() >= 19 && text[4] == '-' ? std::string(text.substr(0, 19)) : std::string();
}

std::string spaced(std::string time)
{
    std::replace(time.begin(), time.end(), 'T', ' ');
    return time;
}

/// A path may hold spaces: it ends where the next field of scontrol's begins.
std::string_view folderIn(std::string_view line)
{
    constexpr std::string_view kField = " WorkDir=";
    const auto at = line.find(kField);
    if (at == std::string_view::npos)
        return {};
    const auto path = line.substr(at + kField.size());
    return path.substr(0, path.find(" StdErr="));
}

bool isDigits(std::string_view text)
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Calls `take` with each line, without its end.
template <typename Take>
void forEachLine(std::string_view text, Take take)
{
    while (!text.empty()) {
        const auto end = text.find('\n');
        take(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
}

} // namespace

std::string_view fieldOf(std::string_view line, std::string_view name)
{
    for (auto at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
        const auto equals = at + name.size();
        if ((at > 0 && line[at - 1] != ' ') || equals >= line.size() || line[equals] != '=')
            continue;
        const auto value = line.substr(equals + 1);
        const auto found = value.substr(0, value.find_first_of(" \n"));
        return found == "(null)" ? std::string_view() : found;
    }
    return {};
}

std::optional<JobFacts> parseJob(std::string_view text)
{
    const auto line = text.substr(0, text.find('\n'));
    JobFacts job;
    job.id = fieldOf(line, "JobId");
    job.state = fieldOf(line, "JobState");
    if (!isDigits(job.id) || job.state.empty())
        return std::nullopt;
    if (const auto reason = fieldOf(line, "Reason"); reason != "None")
        job.reason = reason;
    job.start = timeIn(fieldOf(line, "StartTime"));
    job.end = timeIn(fieldOf(line, "EndTime"));
    job.batchHost = fieldOf(line, "BatchHost");
    job.nodes = fieldOf(line, "NodeList");
    job.folder = folderIn(line);
    job.restarts = std::max(0, numberIn(fieldOf(line, "Restarts")));
    job.isHeld = phaseOf(job) == JobPhase::Waiting && fieldOf(line, "Priority") == "0";
    const auto exit = fieldOf(line, "ExitCode");
    job.exitStatus = numberIn(exit);
    if (const auto colon = exit.find(':'); colon != std::string_view::npos)
        job.exitSignal = numberIn(exit.substr(colon + 1));
    return job;
}

JobPhase phaseOf(const JobFacts& job)
{
    if (contains(kWaiting, job.state))
        return JobPhase::Waiting;
    return contains(kEnded, job.state) ? JobPhase::Ended : JobPhase::AtWork;
}

bool isRunning(const JobFacts& job)
{
    return job.state == "RUNNING" || job.state == "SIGNALING";
}

std::string queueText(const JobFacts& job)
{
    std::string text =
        fmt::format("{} {}", job.isHeld ? "held by Slurm as job" : "queued as Slurm job", job.id);
    if (!job.reason.empty())
        text += ": " + job.reason;
    const auto known = std::find_if(kExplanations.begin(), kExplanations.end(),
                                    [&](const auto& entry) { return job.reason.starts_with(entry.reason); });
    if (known != kExplanations.end())
        text += fmt::format(" ({})", known->words);
    if (job.isHeld)
        text += fmt::format("; release it with `scontrol release {}`, or stop the run", job.id);
    else if (!job.start.empty())
        text += ", expected to start at " + spaced(job.start);
    return text;
}

std::string parseSubmission(std::string_view text)
{
    std::string id;
    forEachLine(text, [&](std::string_view line) {
        if (const auto number = line.substr(0, line.find(';')); isDigits(number) && number.size() < 20)
            id = number;
    });
    return id;
}

std::string errorOf(std::string_view output)
{
    constexpr std::string_view kError = "error: ";
    constexpr std::string_view kFailure = "failure: ";
    constexpr std::string_view kSubmission = "Batch job submission failed: ";
    std::string words;
    forEachLine(output, [&](std::string_view line) {
        for (const std::string_view start : {kError, kFailure, kSubmission}) {
            if (const auto at = line.find(start); at != std::string_view::npos)
                words = line.substr(at + start.size());
        }
    });
    if (words.empty())
        words = output.substr(0, output.find('\n'));
    return words.substr(0, kMaxErrorLength);
}

} // namespace trainyard::agent
