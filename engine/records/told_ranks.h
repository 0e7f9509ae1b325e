#pragma once

#include <algorithm>

#include "engine/records/record.h"

namespace trainyard {

/// Whether the record tells this rank's figures; else all are zero.
inline bool isTold(const RankStats& rank)
{
    return rank != RankStats();
}

/// Whether the record of a step tells only some of its ranks.
inline bool tellsSomeRanks(const std::vector<RankStats>& ranks)
{
    return std::ranges::any_of(ranks, isTold) && !std::ranges::all_of(ranks, isTold);
}

} // namespace trainyard
