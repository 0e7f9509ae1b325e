#pragma once

#include <vector>

#include "engine/records/record.h"

namespace trainyard {

class MemoryLedger;
class ProcessGroup;

/// The counters of this rank's memory.
struct RankMemory {
    MemoryLedger& host;
    MemoryLedger* device = nullptr; ///< null on the processor
};

/// Restarts the peaks, so that memory held before the first step (initial weights) is not counted as its
/// peak.
void startPeaks(const RankMemory& memory);

/// Returns this rank's statistics of the step that just ended, and restarts the ledgers' peaks. On a device
/// the categories count its memory, and Host the offloaded bytes.
RankStats takeRankStats(const RankMemory& memory, const SecondsByPhase& seconds);

/// Returns the statistics of all ranks in order of rank on rank 0; empty elsewhere. All ranks call it.
std::vector<RankStats> gatherRankStats(ProcessGroup& group, const RankStats& mine);

/// Returns the wall time of a rank's step: the sum over its phases.
double stepSeconds(const RankStats& stats);

} // namespace trainyard
