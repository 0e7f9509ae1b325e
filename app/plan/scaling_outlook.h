#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/plan/planned_design.h"
#include "engine/base/result.h"
#include "engine/planner/scaling/published_curve.h"
#include "engine/planner/scaling/scaling_curve.h"

namespace trainyard {

/// How a design would scale: from the fewest nodes that hold a copy of its model to many.
struct ScalingOutlook {
    Scaling scaling = Scaling::Strong;
    int presentRanks = 0;                  ///< of the design itself
    std::vector<ScalingStep> steps;        ///< ascending ranks
    std::vector<PublishedCurve> published; ///< of the same model

    /// The design's own size; nothing where it is not among the steps.
    std::optional<ScalingStep> present() const;
};

/// The numbers of ranks of an outlook: sizesInNodes() up to eight times as many nodes as the design has, at
/// least 64, and the design's own. Those whose pipeline would have too few micro-batches are left out.
std::vector<int> outlookSizes(const RunSpec& spec, const NodeModel& node, Scaling scaling);

/// On nodes that differ a larger cluster has more of the same hosts, in their order. `goesOn` is called
/// between the sizes with the share that is done. Requires a design with a time. Errors as scalingCurve();
/// Cancelled.
Result<ScalingOutlook> scalingOutlook(const PlannedDesign& design, Scaling scaling,
                                      const std::function<bool(double share)>& goesOn = {});

} // namespace trainyard
