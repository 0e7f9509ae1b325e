#pragma once

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// The specification with layers dealt to its stages by what they take on the request's node (partSeconds()),
/// as a partition by hand: embeddings, head and micro-batch count with the layers of their stages. Without a
/// pipeline, and where that gives the partition "layers", it stays as it is. Errors as StepModel::create().
Result<RunSpec> partitionedByTime(const SearchRequest& request, const RunSpec& spec);

} // namespace trainyard
