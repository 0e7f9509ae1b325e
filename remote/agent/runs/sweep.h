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

/// Ends every process of a run on this machine: those that carry its marker and, when `ancestor` is given,
/// all its descendants. Sends SIGTERM, then SIGKILL after `termGrace`, and repeats the search until it finds
/// none, because a process may fork during it.
SweepResult sweepRun(const std::string& marker, pid_t ancestor, std::chrono::milliseconds termGrace);

/// As sweepRun(), but only for descendants of `ancestor`: another attempt of the same run may be active on
/// this machine.
SweepResult sweepDescendants(pid_t ancestor, std::chrono::milliseconds termGrace);

/// As sweepRun(), but only for processes of earlier attempts, with SIGKILL immediately.
SweepResult sweepEarlierAttempts(const std::string& run, std::uint32_t attempt);

/// Waits until no process carries the marker; false when `patience` is over.
bool waitUntilGone(const std::string& marker, std::chrono::milliseconds patience);

} // namespace trainyard::agent
