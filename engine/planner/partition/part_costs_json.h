#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/planner/layout/stage_partition.h"

namespace trainyard {

/// Reads {"embeddings": 0.01, "layers": [0.02, 0.02, ...], "head": 0.03}, in any one unit; embeddings and
/// head may be left out. BadInput, which says where, unless there is a positive number for each of `layers`
/// layers, no other is below 0 and the sum is at most 1e100.
Result<PartCosts> parsePartCosts(std::string_view json, int layers);

} // namespace trainyard
