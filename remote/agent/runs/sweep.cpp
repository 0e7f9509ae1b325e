#include "remote/agent/runs/sweep.h"

#include <algorithm>
#include <csignal>
#include <set>
#include <thread>

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

} // namespace

SweepResult sweepRun(const std::string& marker, pid_t ancestor, std::chrono::milliseconds termGrace)
{
    const auto start = SteadyClock::now();
    std::set<ProcessId> asked;
    std::set<ProcessId> killed;
    for (;;) {
        const std::vector<ProcessId> processes = processesOf(marker, ancestor);
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
