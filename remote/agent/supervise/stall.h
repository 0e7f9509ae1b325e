#pragma once

#include <chrono>
#include <string>

#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"

namespace trainyard::agent {

/// Which rank did not enter which collective, read off the rings of this attempt's ranks; empty when none
/// waits for another one, or the rings are on other machines.
std::string openCollective(const RunFolder& folder, const RunWork& work, std::uint32_t attempt);

/// Why no step has been finished for `quiet`, as one sentence that stays the same as long as the cause does;
/// empty while that is not strange yet. `lastStep` is how long the last step took.
std::string stallText(const RunFolder& folder, const RunWork& work, std::uint32_t attempt,
                      std::chrono::duration<double> quiet, std::chrono::duration<double> lastStep);

} // namespace trainyard::agent
