#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Resumes the runs below `root` that a restart of this machine interrupted, where their specification asks
/// for it (launch.restart.after_reboot) and restarts are left; each with its next attempt. Returns their
/// names. Called when the machine has booted and when a client connects; concurrent calls do no harm.
std::vector<std::string> reviveRuns(const std::filesystem::path& root);

/// Installs the boot hook that calls reviveRuns() for `root` in our environment.
Status arrangeRevival(const std::filesystem::path& root);
/// After a run has ended: removes the boot hook when no run below `root` needs it any more on this host.
void cancelRevivalIfUnneeded(const std::filesystem::path& root);

} // namespace trainyard::agent
