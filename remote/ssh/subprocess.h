#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/ssh/interrupt.h"

namespace trainyard::ssh {

struct ProcessOutput {
    int exitStatus = -1; ///< -1 = ended by a signal
    std::string output;
    std::string errors;
};

/// Runs a program found in PATH, without a shell and with an empty stdin, and collects at most 1 MiB of each
/// stream. Unreachable when it cannot be started or exceeds the deadline, which kills it.
Result<ProcessOutput> runProcess(const std::vector<std::string>& arguments, const Interrupt& interrupt,
                                 Deadline deadline);

} // namespace trainyard::ssh
