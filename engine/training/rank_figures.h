#pragma once

#include <vector>

#include "engine/records/record.h"

namespace trainyard {

class MemoryLedger;
class ProcessGroup;

/// This rank's share of the step that ended now; the ledger's peak starts anew for the next step.
RankFigures takeRankFigures(MemoryLedger& ledger, const SecondsByPhase& seconds);

/// On rank 0 the figures of all ranks in order of rank; empty elsewhere. All ranks call it.
std::vector<RankFigures> gatherRankFigures(ProcessGroup& group, const RankFigures& mine);

/// Wall time of a rank's step: the sum over its phases.
double stepSeconds(const RankFigures& figures);

} // namespace trainyard
