#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "remote/agent/host/process_table.h"

namespace trainyard::agent {

struct SweepResult {
    int killed = 0; ///< processes that had to be killed
    int left = 0;   ///< that even a kill did not end within five seconds (stuck in the kernel)
};

/// Ends every process of a run on this machine: those that carry its marker, and, when `ancestor` is given,
/// whatever descends from it. SIGTERM first, SIGKILL when `termGrace` is over; then looks again until nothing
/// is left, because a process may fork while it is being looked for.
SweepResult sweepRun(const std::string& marker, pid_t ancestor, std::chrono::milliseconds termGrace);

/// As sweepRun() for what descends from `ancestor` alone: where another attempt of the same run may be at
/// work on this machine.
SweepResult sweepDescendants(pid_t ancestor, std::chrono::milliseconds termGrace);

/// As sweepRun() for what attempts before this one left on this machine; at once.
SweepResult sweepEarlierAttempts(const std::string& run, std::uint32_t attempt);

/// Waits until no process carries the marker; false when `patience` is over.
bool waitUntilGone(const std::string& marker, std::chrono::milliseconds patience);

} // namespace trainyard::agent
