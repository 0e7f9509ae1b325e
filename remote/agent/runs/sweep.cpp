#include "remote/agent/runs/sweep.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <functional>
#include <set>
#include <thread>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::seconds kKillPatience{5};

std::vector<ProcessId> processesOf(const std::string& marker, pid_t ancestor)
{
    std::vector<ProcessId> found = processesWithEnvironment(marker);
    if (ancestor > 0) {
        for (const ProcessId& process : descendantsOf(ancestor)) {
            if (std::find(found.begin(), found.end(), process) == found.end())
                found.push_back(process);
        }
    }
    return found;
}

void signalAll(const std::vector<ProcessId>& processes, int signal, std::set<ProcessId>& signalled)
{
    for (const ProcessId& process : processes) {
        if (signalProcess(process, signal))
            signalled.insert(process);
    }
}

SweepResult sweep(const std::function<std::vector<ProcessId>()>& find, std::chrono::milliseconds termGrace)
{
    const auto start = SteadyClock::now();
    std::set<ProcessId> asked;
    std::set<ProcessId> killed;
    for (;;) {
        // Searched again in each round: a process that forks while it is signalled leaves a child for the
        // next one.
        const std::vector<ProcessId> processes = find();
        const auto elapsed = SteadyClock::now() - start;
        if (processes.empty() || elapsed > termGrace + kKillPatience)
            return {static_cast<int>(killed.size()), static_cast<int>(processes.size())};
        if (elapsed >= termGrace)
            signalAll(processes, SIGKILL, killed);
        else if (asked.empty())
            signalAll(processes, SIGTERM, asked);
        std::this_thread::sleep_for(kLookAgain);
    }
}

} // namespace

SweepResult sweepRun(const std::string& marker, pid_t ancestor, std::chrono::milliseconds termGrace)
{
    return sweep([&] { return processesOf(marker, ancestor); }, termGrace);
}

SweepResult sweepDescendants(pid_t ancestor, std::chrono::milliseconds termGrace)
{
    return sweep([&] { return descendantsOf(ancestor); }, termGrace);
}

SweepResult sweepEarlierAttempts(const std::string& run, std::uint32_t attempt)
{
    const auto isEarlier = [&](const ProcessId& process) {
        const auto value = environmentValue(process, RunFolder::kAttemptVariable);
        std::uint32_t number = UINT32_MAX;
        if (value)
            std::from_chars(value->data(), value->data() + value->size(), number);
        return number < attempt;
    };
    return sweep(
        [&] {
            auto processes = processesWithEnvironment(RunFolder::markerOf(run));
            std::erase_if(processes, [&](const ProcessId& process) { return !isEarlier(process); });
            return processes;
        },
        std::chrono::milliseconds(0));
}

bool waitUntilGone(const std::string& marker, std::chrono::milliseconds patience)
{
    const auto deadline = SteadyClock::now() + patience;
    while (!processesWithEnvironment(marker).empty()) {
        if (SteadyClock::now() >= deadline)
            return false;
        std::this_thread::sleep_for(kLookAgain);
    }
    return true;
}

} // namespace trainyard::agent
