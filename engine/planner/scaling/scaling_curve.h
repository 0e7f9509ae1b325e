#pragma once

#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/planner/scaling/scaled_layout.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

/// One size of a training.
struct ScalingStep {
    int ranks = 0;
    int globalBatch = 0;
    StepTime time;
    double sequencesPerSecond = 0;
    double perDevice = 0;               ///< sequences per second of one device
    double efficiency = 0;              ///< of perDevice, against the first size
    double costPerMillionSequences = 0; ///< 0 where the node has no price
};

/// Numbers of ranks that fill 1, 2, 4 and so on nodes up to `mostNodes`, from the first that holds a copy of
/// the model; those alone that scaledLayout() takes. Requires what scaledLayout() does.
std::vector<int> sizesInNodes(const RunSpec& spec, const NodeModel& node, int mostNodes, Scaling scaling);

/// Those of the same numbers that scaledLayout() refuses, with what it says.
struct LeftOutSize {
    int ranks = 0;
    Error reason;
};
std::vector<LeftOutSize> leftOutSizes(const RunSpec& spec, const NodeModel& node, int mostNodes,
                                      Scaling scaling);

/// The predicted curve, in the order of `sizes`. The first size that cannot be refuses all, as scaledLayout()
/// and StepModel::create() say. `measured`: sequences per second that the first size reached, which the curve
/// then begins with; refused as scaledTo() says.
Result<std::vector<ScalingStep>> scalingCurve(const RunSpec& spec, const SequenceShape& shape,
                                              const NodeModel& node, const std::vector<int>& sizes,
                                              Scaling scaling, std::optional<double> measured = {},
                                              const ProgramTraits& program = trainyardProgram());

/// The first size of a curve whose efficiency is below `bound`; its end when none is.
std::vector<ScalingStep>::const_iterator firstBelow(const std::vector<ScalingStep>& curve, double bound);

} // namespace trainyard
