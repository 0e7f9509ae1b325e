#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Goes on with the runs below `root` that a restart of this machine interrupted, where their specification
/// asks for it (launch.restart.after_reboot) and their restarts are not used up; each with its next attempt.
/// Names them. Called when the machine has started and when a desk connects; twice at once does no harm.
std::vector<std::string> reviveRuns(const std::filesystem::path& root);

/// Has reviveRuns() called when this machine starts, as long as a run below the same root may need it.
Status arrangeRevival(const RunFolder& folder);
/// The run is over: takes the arrangement back when no other run needs it.
void cancelRevival(const RunFolder& folder);

} // namespace trainyard::agent
