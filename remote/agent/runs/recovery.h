#pragma once

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// True while the run's supervisor lives.
bool isSupervised(const RunFolder& folder);
/// True also while the run's batch job is being watched: it waits, or works on another machine.
bool isLive(const RunFolder& folder);

/// Tells the truth about a run whose supervisor died (killed, or the machine restarted) before it could write
/// a final state: ends the processes that are left, then writes Failed with the reason, or Stopped where it
/// was asked to end, to the stream "run" and to state.json. True when it did. Does nothing for runs that are
/// alive, ended, never launched, supervised by another host, or started by Slurm. Safe against being called
/// by several agents at once.
Result<bool> recoverIfAbandoned(const RunFolder& folder);

} // namespace trainyard::agent
