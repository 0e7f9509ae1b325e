#pragma once

#include <vector>

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// Every order that differs (distinctPlacements()), simulated on the request's nodes, the fastest first.
/// Errors as StepModel::create().
Result<std::vector<PlacementCost>> comparePlacements(const SearchRequest& request, const RunSpec& spec);

} // namespace trainyard
