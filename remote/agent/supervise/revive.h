#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Resumes the runs below `root` that a restart of this machine interrupted, where their specification asks
/// for it (launch.restart.after_reboot) and restarts are left; each run starts its next attempt. Returns the
/// names of the runs. Called after boot and when a client connects; concurrent calls are safe.
std::vector<std::string> reviveRuns(const std::filesystem::path& root);

/// Installs the boot hook that calls reviveRuns() for `root` in our environment.
Status arrangeRevival(const std::filesystem::path& root);
/// Returns true for a run that has started and not ended, on any host, and is to be resumed after a reboot;
/// Slurm restarts its jobs itself.
bool mayNeedRevival(const RunFolder& run);
/// Removes the boot hook unless a run below `root` still needs it on this host.
Status cancelRevival(const std::filesystem::path& root);
/// The same; prints an error. Call it after a run has ended.
void cancelRevivalIfUnneeded(const std::filesystem::path& root);

} // namespace trainyard::agent
