#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Resumes the runs below `root` that a restart of this machine interrupted, where their specification asks
/// for it (launch.restart.after_reboot) and restarts are left; each run starts its next attempt. Returns the
/// names of the runs. Called after boot and when a client connects; concurrent calls are safe.
std::vector<std::string> reviveRuns(const std::filesystem::path& root);

/// Installs the boot hook that calls reviveRuns() for `root` in our environment.
Status arrangeRevival(const std::filesystem::path& root);
/// Removes the boot hook unless a run below `root` still needs it on this host. Call it after a run has
/// ended.
void cancelRevivalIfUnneeded(const std::filesystem::path& root);

} // namespace trainyard::agent
