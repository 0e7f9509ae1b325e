#pragma once

#include <vector>

#include <QStringList>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/preflight/host_report.h"

namespace trainyard {

/// What a run will take of a host, besides memory (judge_spec.h).
struct RunFootprint {
    int ranks = 0;
    qint64 threads = 0;         ///< of all ranks there
    qint64 filesOfRank = 0;     ///< that each rank opens: connections, shards, logs
    qint64 checkpointBytes = 0; ///< of one checkpoint, all ranks together; 0 = unknown
    qint64 keptCheckpoints = 0; ///< on disk at the same time, with the one that is being written
    qint64 checkpointFiles = 0; ///< of one checkpoint
};

/// Estimates it for a host with that many ranks of the run.
RunFootprint footprintOf(const RunSpec& spec, int ranks);

/// Compares the plan with the limits of each host, before they end the run in the middle: processes and
/// threads (ulimit -u, control group), open files. `hosts`: facts of those that get ranks, `ranks`: there.
/// Refused with host, limit and need.
Status judgeLimits(const RunSpec& spec, const std::vector<HostFacts>& hosts, const std::vector<int>& ranks);

/// Returns what will not be enough for the checkpoints of the whole run: space, quota, inodes of the head's
/// disk. Such checkpoints are skipped, and the run goes on.
QStringList storageRemarks(const RunSpec& spec, const HostFacts& head);

} // namespace trainyard
