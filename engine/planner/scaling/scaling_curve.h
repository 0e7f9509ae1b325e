#pragma once

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
    double perDevice = 0;  ///< sequences per second of one device
    double efficiency = 0; ///< of perDevice, against the first size
};

/// The predicted curve, in the order of `sizes`. The first size that cannot be refuses all, as scaledLayout()
/// and StepModel::create() say. `coefficients`: of a calibration, or scaledTo() one measured size.
Result<std::vector<ScalingStep>> scalingCurve(const RunSpec& spec, const SequenceShape& shape,
                                              const NodeModel& node, const std::vector<int>& sizes,
                                              Scaling scaling, const TimeCoefficients& coefficients = {},
                                              const ProgramTraits& program = trainyardProgram());

} // namespace trainyard
