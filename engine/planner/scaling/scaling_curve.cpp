#include "engine/planner/scaling/scaling_curve.h"

#include <algorithm>

#include "engine/planner/scaling/measured_size.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

int nodesFor(int ranks, const NodeModel& node)
{
    return (ranks + node.devices - 1) / node.devices;
}

/// Of sequences, on whole nodes.
double costPerMillion(const ScalingStep& step, const NodeModel& node)
{
    const double perSecond = nodesFor(step.ranks, node) * node.price.perHour / 3600;
    return 1e6 * perSecond / step.sequencesPerSecond;
}

/// Numbers of ranks that fill nodes, doubled from the first that hold a copy of the model.
std::vector<int> doubledSizes(const RunSpec& spec, const NodeModel& node, int mostNodes)
{
    const ParallelLayout& layout = spec.layout;
    const int copy = layout.context * layout.tensor * layout.pipeline;
    std::vector<int> sizes;
    const int most = std::min(mostNodes, kMaxRanks / node.devices);
    for (int nodes = nodesFor(copy, node); nodes <= most; nodes *= 2)
        sizes.push_back(nodes * node.devices);
    return sizes;
}

} // namespace

std::vector<int> sizesInNodes(const RunSpec& spec, const NodeModel& node, int mostNodes, Scaling scaling)
{
    std::vector<int> sizes = doubledSizes(spec, node, mostNodes);
    std::erase_if(sizes, [&](int ranks) { return !scaledLayout(spec, ranks, scaling).ok(); });
    return sizes;
}

std::vector<LeftOutSize> leftOutSizes(const RunSpec& spec, const NodeModel& node, int mostNodes,
                                      Scaling scaling)
{
    std::vector<LeftOutSize> leftOut;
    for (const int ranks : doubledSizes(spec, node, mostNodes)) {
        if (const auto scaled = scaledLayout(spec, ranks, scaling); !scaled.ok())
            leftOut.push_back({ranks, scaled.error()});
    }
    return leftOut;
}

Result<std::vector<ScalingStep>> scalingCurve(const RunSpec& spec, const SequenceShape& shape,
                                              const NodeModel& node, const std::vector<int>& sizes,
                                              Scaling scaling, std::optional<double> measured,
                                              const ProgramTraits& program)
{
    TimeCoefficients coefficients = node.calibration ? node.calibration->coefficients : TimeCoefficients();
    std::vector<ScalingStep> curve;
    for (const int ranks : sizes) {
        TRAINYARD_TRY(const RunSpec scaled, scaledLayout(spec, ranks, scaling));
        TRAINYARD_TRY(const StepModel model, StepModel::create(scaled, shape, node, program));
        if (curve.empty() && measured) {
            TRAINYARD_TRY(coefficients, scaledTo(model, scaled.batch.global / *measured, coefficients));
        }
        ScalingStep step;
        step.ranks = ranks;
        step.globalBatch = scaled.batch.global;
        step.time = model.estimate(coefficients);
        step.sequencesPerSecond = step.globalBatch / step.time.seconds;
        step.perDevice = step.sequencesPerSecond / ranks;
        step.efficiency = curve.empty() ? 1 : step.perDevice / curve.front().perDevice;
        step.costPerMillionSequences = costPerMillion(step, node);
        curve.push_back(step);
    }
    return curve;
}

std::vector<ScalingStep>::const_iterator firstBelow(const std::vector<ScalingStep>& curve, double bound)
{
    return std::find_if(curve.begin(), curve.end(),
                        [bound](const ScalingStep& step) { return step.efficiency < bound; });
}

} // namespace trainyard
