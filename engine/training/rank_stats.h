#pragma once

#include <vector>

#include "engine/records/record.h"

namespace trainyard {

class MemoryLedger;
class ProcessGroup;

/// What counts this rank's memory.
struct RankMemory {
    MemoryLedger& host;
    MemoryLedger* device = nullptr; ///< null on the processor
};

/// What was held before, say while the weights were made, is no step's peak.
void startPeaks(const RankMemory& memory);

/// This rank's share of the step that ended now; the ledgers' peaks start anew for the next step. On a device
/// the categories are those of its memory, and Host is what was offloaded from it.
RankStats takeRankStats(const RankMemory& memory, const SecondsByPhase& seconds);

/// On rank 0 the figures of all ranks in order of rank; empty elsewhere. All ranks call it.
std::vector<RankStats> gatherRankStats(ProcessGroup& group, const RankStats& mine);

/// Wall time of a rank's step: the sum over its phases.
double stepSeconds(const RankStats& figures);

} // namespace trainyard
