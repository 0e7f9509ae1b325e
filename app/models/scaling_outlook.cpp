#include "app/models/scaling_outlook.h"

#include <algorithm>

#include "engine/spec/limits.h"
#include "engine/spec/pipeline_rules.h"

namespace trainyard {

namespace {

constexpr int kBeyondDesign = 8;
constexpr int kLeastNodes = 64;

bool fillsPipeline(const RunSpec& spec, int ranks, Scaling scaling)
{
    const auto scaled = scaledLayout(spec, ranks, scaling);
    return scaled.ok() && pipelineProblems(*scaled).empty();
}

} // namespace

std::optional<ScalingStep> ScalingOutlook::present() const
{
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [this](const ScalingStep& step) { return step.ranks == presentRanks; });
    return found == steps.end() ? std::nullopt : std::optional(*found);
}

std::vector<int> outlookSizes(const RunSpec& spec, const NodeModel& node, Scaling scaling)
{
    const int present = spec.layout.worldSize();
    const int nodes = (present + node.devices - 1) / node.devices;
    const int most = std::min(kMostRanks / node.devices, std::max(kBeyondDesign * nodes, kLeastNodes));
    std::vector<int> sizes = sizesInNodes(spec, node, most, scaling);
    if (std::find(sizes.begin(), sizes.end(), present) == sizes.end())
        sizes.insert(std::upper_bound(sizes.begin(), sizes.end(), present), present);
    std::erase_if(sizes, [&](int ranks) { return !fillsPipeline(spec, ranks, scaling); });
    return sizes;
}

Result<ScalingOutlook> scalingOutlook(const RunSpec& spec, const SequenceShape& shape, const NodeModel& node,
                                      Scaling scaling)
{
    ScalingOutlook outlook;
    outlook.scaling = scaling;
    outlook.presentRanks = spec.layout.worldSize();
    outlook.published = publishedCurvesOf(spec.model);
    TRAINYARD_TRY(outlook.steps, scalingCurve(spec, shape, node, outlookSizes(spec, node, scaling), scaling));
    return outlook;
}

} // namespace trainyard
