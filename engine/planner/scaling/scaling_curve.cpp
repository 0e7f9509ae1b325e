#include "engine/planner/scaling/scaling_curve.h"

namespace trainyard {

Result<std::vector<ScalingStep>> scalingCurve(const RunSpec& spec, const SequenceShape& shape,
                                              const NodeModel& node, const std::vector<int>& sizes,
                                              Scaling scaling, const TimeCoefficients& coefficients,
                                              const ProgramTraits& program)
{
    std::vector<ScalingStep> curve;
    for (const int ranks : sizes) {
        TRAINYARD_TRY(const RunSpec scaled, scaledLayout(spec, ranks, scaling));
        TRAINYARD_TRY(const StepModel model, StepModel::create(scaled, shape, node, program));
        ScalingStep step;
        step.ranks = ranks;
        step.globalBatch = scaled.batch.global;
        step.time = model.estimate(coefficients);
        step.sequencesPerSecond = step.globalBatch / step.time.seconds;
        step.perDevice = step.sequencesPerSecond / ranks;
        step.efficiency = curve.empty() ? 1 : step.perDevice / curve.front().perDevice;
        curve.push_back(step);
    }
    return curve;
}

} // namespace trainyard
