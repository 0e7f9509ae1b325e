#pragma once

#include <vector>

#include "engine/base/ids.h"
#include "engine/records/record.h"

namespace trainyard {

/// Every how many steps the journal has the figures of all ranks: of up to 64 ranks in each step, of more so
/// seldom that a step has 8 of them on average.
std::int64_t stepsBetweenTables(std::size_t ranks);

/// What the journal writes of a step's ranks: all of them in the first step of an attempt and in each
/// stepsBetweenTables()-th, and else only those that say something about all others, with zeros in place of
/// the rest (StepRecord::ranks): the rank that computes longest and the one with most memory, so that a
/// reader has exact maxima of every step; and of those that compute a quarter longer than the median up to
/// three more.
std::vector<RankStats> ranksForJournal(std::vector<RankStats> ranks, Step step, bool isFirst);

} // namespace trainyard
