#pragma once

#include <vector>

#include "engine/base/units.h"
#include "engine/planner/layout/rank_grid.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Bytes of the buffers that a rank hands to collectives for gradients and weights in one step.
struct StateTraffic {
    Bytes reduced = 0;  ///< gradients among the owners of one copy (reduce-scatter), or of all (all-reduce)
    Bytes summed = 0;   ///< of them what the rank owns, among the copies (all-reduce)
    Bytes gathered = 0; ///< weights among the owners of one copy (all-gather)

    Bytes total() const { return reduced + summed + gathered; }
};

/// Experts that ranks share have holders of their own.
struct RankTraffic {
    StateTraffic others;
    StateTraffic ofExperts;
};

/// Of the ranks with these coordinates; nothing where no other rank holds the same. As parallel/data,
/// parallel/zero and training/replica communicate it, gaps of alignment included. Tied words and norms are
/// not counted. `layerCounts`: of each stage. Requires a valid specification.
RankTraffic stateTraffic(const RunSpec& spec, const std::vector<int>& layerCounts, const GridCoord& rank);

} // namespace trainyard
