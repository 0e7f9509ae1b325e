#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/plan/planned_run.h"
#include "engine/base/result.h"
#include "engine/planner/scaling/published_curve.h"
#include "engine/planner/scaling/scaling_curve.h"

namespace trainyard {

/// Predicted scaling of a design, from the fewest nodes that hold a copy of its model upwards.
struct ScalingForecast {
    Scaling scaling = Scaling::Strong;
    int presentRanks = 0;                  ///< of the design itself
    std::vector<ScalingStep> steps;        ///< ascending ranks
    std::vector<PublishedCurve> published; ///< of the same model

    /// The design's own size; nullopt if it is not among the steps.
    std::optional<ScalingStep> present() const;
};

/// The numbers of ranks of a forecast: sizesInNodes() up to eight times the design's nodes, at least 64, and
/// the design's own. Skips sizes whose pipeline would have too few micro-batches.
std::vector<int> forecastSizes(const RunSpec& spec, const NodeModel& node, Scaling scaling);

/// A larger cluster of unequal nodes repeats the same hosts in order. Calls `goesOn` between the sizes with
/// the completed share. Requires a design with a time. Errors as scalingCurve(); Cancelled.
Result<ScalingForecast> scalingForecast(const PlannedDesign& design, Scaling scaling,
                                        const std::function<bool(double share)>& goesOn = {});

} // namespace trainyard
