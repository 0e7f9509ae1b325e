#pragma once

#include <vector>

#include "engine/planner/layout/rank_grid.h"
#include "engine/planner/memory/step_moment.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Bytes of one rank's weights, gradients and optimizer state by category, gaps for alignment included: the
/// sizes that the engine allocates (nn/ParameterStore, optim/Moments). What is offloaded counts as
/// MemoryCategory::Host.
struct RankStates {
    MemoryByCategory kept{};              ///< from the first step to the last
    ByMoment<MemoryByCategory> passing{}; ///< besides: gathered weights, buckets of gradients
    std::int64_t updated = 0;             ///< parameters that the rank's optimizer moves
};

/// `layerCounts`: of each stage, first stage first (layersPerStage()). Requires a valid specification.
RankStates rankStates(const RunSpec& spec, const std::vector<int>& layerCounts, const GridCoord& rank);

/// Of the rank that holds most among those of one pipeline rank, 0 <= pipeline < spec.layout.pipeline.
RankStates largestRankStates(const RunSpec& spec, const std::vector<int>& layerCounts, int pipeline);

/// Numbers that the optimizer keeps per parameter.
Bytes stateNumbers(const OptimizerSpec& optimizer);

} // namespace trainyard
