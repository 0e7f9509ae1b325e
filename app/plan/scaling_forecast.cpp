#include "app/plan/scaling_forecast.h"

#include <algorithm>

#include "app/plan/heterogeneous_step_time.h"
#include "engine/spec/limits.h"
#include "engine/spec/pipeline_rules.h"

namespace trainyard {

namespace {

constexpr int kBeyondDesign = 8;
constexpr int kMinNodes = 64;

bool fillsPipeline(const RunSpec& spec, int ranks, Scaling scaling)
{
    const auto scaled = scaledLayout(spec, ranks, scaling);
    return scaled.ok() && pipelineProblems(*scaled).empty();
}

Result<ScalingStep> stepOnUnequal(const PlannedDesign& design, int ranks, Scaling scaling)
{
    const PlannedTime& plan = design.time();
    TRAINYARD_TRY(RunSpec scaled, scaledLayout(design.spec, ranks, scaling));
    scaled.cluster = repeatedCluster(design.spec.cluster, ranks);
    ScalingStep step;
    step.ranks = ranks;
    step.globalBatch = scaled.batch.global;
    TRAINYARD_TRY(step.time, stepTimeOn(plan, scaled, design.shape));
    step.sequencesPerSecond = step.globalBatch / step.time.seconds;
    step.perDevice = step.sequencesPerSecond / ranks;
    step.costPerMillionSequences = 1e6 * pricePerHourOn(plan, scaled) / 3600 / step.sequencesPerSecond;
    return step;
}

/// Its efficiency is left open: that is against another size.
Result<ScalingStep> stepAt(const PlannedDesign& design, int ranks, Scaling scaling)
{
    if (design.time().unequal)
        return stepOnUnequal(design, ranks, scaling);
    TRAINYARD_TRY(const std::vector<ScalingStep> step,
                  scalingCurve(design.spec, design.shape, design.time().node, {ranks}, scaling));
    return step.front();
}

} // namespace

std::optional<ScalingStep> ScalingForecast::present() const
{
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [this](const ScalingStep& step) { return step.ranks == presentRanks; });
    return found == steps.end() ? std::nullopt : std::optional(*found);
}

std::vector<int> forecastSizes(const RunSpec& spec, const NodeModel& node, Scaling scaling)
{
    const int present = spec.layout.worldSize();
    const int nodes = (present + node.devices - 1) / node.devices;
    const int most = std::min(kMaxRanks / node.devices, std::max(kBeyondDesign * nodes, kMinNodes));
    std::vector<int> sizes = sizesInNodes(spec, node, most, scaling);
    if (std::find(sizes.begin(), sizes.end(), present) == sizes.end())
        sizes.insert(std::upper_bound(sizes.begin(), sizes.end(), present), present);
    std::erase_if(sizes, [&](int ranks) { return !fillsPipeline(spec, ranks, scaling); });
    return sizes;
}

Result<ScalingForecast> scalingForecast(const PlannedDesign& design, Scaling scaling,
                                        const std::function<bool(double share)>& goesOn)
{
    ScalingForecast forecast;
    forecast.scaling = scaling;
    forecast.presentRanks = design.spec.layout.worldSize();
    forecast.published = publishedCurvesOf(design.spec.model);
    const std::vector<int> sizes = forecastSizes(design.spec, design.time().node, scaling);
    for (const int ranks : sizes) {
        const double done = static_cast<double>(forecast.steps.size()) / static_cast<double>(sizes.size());
        if (goesOn && !goesOn(done))
            return cancelled("the scaling prediction was cancelled");
        TRAINYARD_TRY(ScalingStep step, stepAt(design, ranks, scaling));
        step.efficiency = forecast.steps.empty() ? 1 : step.perDevice / forecast.steps.front().perDevice;
        forecast.steps.push_back(std::move(step));
    }
    return forecast;
}

} // namespace trainyard
