#include "remote/agent/slurm/termination.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/standard_streams.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/slurm/slurm_control.h"

namespace trainyard::agent {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kByRequest = "stopped by request";
constexpr seconds kMargin{10}; ///< before the time limit the last process must be gone

void askToStop(const RunFolder& folder, milliseconds grace)
{
    if (const Status asked = askToEnd(folder, {grace, true}); !asked.ok())
        printNotice(asked.error().text() + '\n');
}

} // namespace

seconds timeUntil(const std::string& time, std::time_t now)
{
    std::tm parts{};
    if (!::strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts))
        return std::chrono::hours(24);
    parts.tm_isdst = -1;
    return seconds(std::mktime(&parts) - now);
}

std::string terminationCause(const JobFacts& job, milliseconds warning, seconds left)
{
    if (!isRunning(job))
        return fmt::format("Slurm job {} was cancelled, preempted or requeued", job.id);
    if (left <= warning + kEarlyWarning)
        return "time limit of Slurm job " + job.id;
    return std::string(kByRequest);
}

Supervisor::TerminationHandler onTermination(const RunFolder& folder, const std::string& job,
                                             const RunSpec& spec)
{
    return [folder, job, warning = spec.launch.slurm.warning, grace = spec.launch.gracePeriod] {
        if (isAskedToEnd(folder))
            return std::string(kByRequest);
        askToStop(folder, grace); // at once: Slurm may be slow to tell why
        const auto facts = askJob(job);
        if (!facts.ok() || !*facts)
            return "Slurm job " + job + " was asked to end";
        const seconds left = timeUntil((*facts)->end, std::time(nullptr));
        if (isRunning(**facts) && left <= warning + kEarlyWarning)
            askToStop(folder, std::max<milliseconds>(kMargin, left - kMargin));
        return terminationCause(**facts, warning, left);
    };
}

} // namespace trainyard::agent
