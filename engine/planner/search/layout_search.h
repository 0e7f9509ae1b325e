#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

/// What makes one layout better than another.
enum class SearchObjective {
    Time,   ///< sequences per second
    Cost,   ///< sequences per unit of money, on all nodes or on fewer
    Memory, ///< memory that stays free on the device
};

struct SearchRequest {
    RunSpec spec; ///< its model, global batch, optimizer and precision; layout and memory are searched
    SequenceShape shape;
    NodeModel node;
    int nodes = 1;
    SearchObjective objective = SearchObjective::Time;
    std::size_t top = 5; ///< layouts to find
    TimeCoefficients coefficients{};
};

struct FoundLayout {
    RunSpec spec;
    StepTime time;
    double sequencesPerSecond = 0;
    double costPerMillionSequences = 0; ///< 0 where the node has no price
    Bytes onDevice = 0;                 ///< memory of the rank that holds most
    Bytes onHost = 0;
};

/// The best layouts that fit (node_fit.h), the best one first, no two with the same degrees. All candidates
/// (layout_candidates.h) are timed by formula, each with as little given up for memory as fits it, or with
/// all where memory is the objective; the best ones are then simulated. Refused, with what is too small, when
/// none fits; BadInput for the lowest cost of nodes without a price.
Result<std::vector<FoundLayout>> searchLayouts(const SearchRequest& request);

} // namespace trainyard
