#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace trainyard::agent {

/// A process that cannot be mistaken for a later one with the same number.
struct ProcessId {
    pid_t pid = 0;
    std::uint64_t startTime = 0; ///< clock ticks since boot, field 22 of /proc/PID/stat

    bool operator==(const ProcessId&) const = default;
    auto operator<=>(const ProcessId&) const = default;
};

/// Nothing when there is no such process, or only its zombie.
std::optional<ProcessId> processId(pid_t pid);
bool isAlive(const ProcessId& process);

/// True when the process was stopped by a signal (SIGSTOP) or a debugger.
bool isSuspended(pid_t pid);

/// 0 when there is no such process.
pid_t parentOf(pid_t pid);

/// The value of a variable in the environment that the process was started with; nothing where it has none.
std::optional<std::string> environmentValue(const ProcessId& process, const std::string& name);

/// Processes of our own user whose environment, as it was at their start, has exactly the entry "NAME=value".
/// Never looked up by program name, so no stranger can be meant.
std::vector<ProcessId> processesWithEnvironment(const std::string& entry);

/// Children of `ancestor`, their children, and so on; not the ancestor itself.
std::vector<ProcessId> descendantsOf(pid_t ancestor);

/// The executables that run on this machine, as far as we may see them; also those that have no name any
/// more.
std::set<std::pair<dev_t, ino_t>> runningPrograms();

/// Signals exactly this process, through a pidfd; false when it is gone.
bool signalProcess(const ProcessId& process, int signal);

} // namespace trainyard::agent
