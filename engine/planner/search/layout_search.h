#pragma once

#include <vector>

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// The best layouts that fit (memory_fit.h), the best one first: as many as are wanted of those that no other
/// one beats in everything (bestCompromises()), and where these are fewer the next best ones, no two with the
/// same degrees. All candidates (layout_candidates.h) are timed by formula, each with as little given up for
/// memory as fits it, or with all where memory is the objective. The best ones are tried in every placement,
/// with every measure against memory and with their layers dealt out by time, and then simulated. Refused,
/// with what is too small, when none fits; BadInput for the lowest cost of nodes without a price and for more
/// devices than a run may have ranks; Cancelled.
Result<std::vector<FoundLayout>> searchLayouts(const SearchRequest& request);

} // namespace trainyard
