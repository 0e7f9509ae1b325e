#pragma once

#include <optional>
#include <vector>

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

/// `node`: with as many devices as ranks run on one. Errors as scalingCurve().
Result<ScalingOutlook> scalingOutlook(const RunSpec& spec, const SequenceShape& shape, const NodeModel& node,
                                      Scaling scaling);

} // namespace trainyard
