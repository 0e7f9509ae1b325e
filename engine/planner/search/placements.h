#pragma once

#include <string>
#include <vector>

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// The orders of D, P and T that deal this layout's ranks out differently: a degree of 1 may stand anywhere.
/// "PDT", "DPT", "DTP", "PTD", "TPD", "TDP"; of equal ones the first.
std::vector<std::string> distinctPlacements(const ParallelLayout& layout);

/// Each of them simulated on the request's nodes, the fastest first; of equally fast ones in the order above.
/// Errors as StepModel::create().
Result<std::vector<PlacementCost>> comparePlacements(const SearchRequest& request, const RunSpec& spec);

} // namespace trainyard
