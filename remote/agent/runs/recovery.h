#pragma once

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Returns true while the run's supervisor lives.
bool isSupervised(const RunFolder& folder);
/// Returns true also while the run's batch job is watched: it is waiting, or running on another machine.
bool isLive(const RunFolder& folder);

/// Corrects the state of a run whose supervisor died (killed, or the machine restarted) before writing a
/// final state: ends the remaining processes, then writes Failed with the reason, or Stopped when the run was
/// asked to stop, to the stream "run" and to state.json. Returns true if it did. Leaves runs alone that are
/// alive, ended, never launched, supervised by another host, or started by Slurm. Several agents may call it
/// at once.
Result<bool> recoverIfAbandoned(const RunFolder& folder);

} // namespace trainyard::agent
