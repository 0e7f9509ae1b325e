#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace trainyard::agent {

/// Identifies a process even when its number is used again later.
struct ProcessId {
    pid_t pid = 0;
    std::uint64_t startTime = 0; ///< clock ticks since boot, field 22 of /proc/PID/stat

    bool operator==(const ProcessId&) const = default;
    auto operator<=>(const ProcessId&) const = default;
};

/// Returns nullopt when there is no such process, or only its zombie.
std::optional<ProcessId> processId(pid_t pid);
bool isAlive(const ProcessId& process);

/// Returns true when the process was stopped by a signal (SIGSTOP) or a debugger.
bool isSuspended(pid_t pid);

/// Returns 0 when there is no such process.
pid_t parentOf(pid_t pid);

/// Returns a variable of the environment that the process was started with, or nullopt.
std::optional<std::string> environmentValue(const ProcessId& process, const std::string& name);

/// Returns the processes of our own user whose initial environment has exactly the entry "NAME=value". Never
/// searches by program name, so no unrelated process can match.
std::vector<ProcessId> processesWithEnvironment(const std::string& entry);

/// Returns the values that this variable has in the initial environments of our own user's processes, except
/// this one.
std::set<std::string> environmentValues(const std::string& name);

/// Returns the children of `ancestor`, their children, and so on, without the ancestor.
std::vector<ProcessId> descendantsOf(pid_t ancestor);

/// Returns the executables that processes of this machine run, as far as visible to us, including deleted
/// ones. Ignores the process `except`.
std::set<std::pair<dev_t, ino_t>> runningPrograms(pid_t except = 0);

/// Signals exactly this process, through a pidfd; returns false when it is gone.
bool signalProcess(const ProcessId& process, int signal);

} // namespace trainyard::agent
