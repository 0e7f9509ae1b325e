#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Goes on with the runs below `root` that a restart of this machine interrupted, where their specification
/// asks for it (launch.restart.after_reboot) and their restarts are not used up; each with its next attempt.
/// Names them. Called when the machine has started and when a desk connects; twice at once does no harm.
std::vector<std::string> reviveRuns(const std::filesystem::path& root);

/// Has reviveRuns() called for `root` when this machine starts, in our environment.
Status arrangeRevival(const std::filesystem::path& root);
/// A run is over: takes the arrangement back when none below `root` needs it any more on this host.
void cancelRevivalIfUnneeded(const std::filesystem::path& root);

} // namespace trainyard::agent
