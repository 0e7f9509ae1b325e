#include "engine/planner/time/step_stats.h"

#include <numeric>

#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/layer_activations.h"
#include "engine/spec/phases/batch_ramp.h"

namespace trainyard {

namespace {

/// Of one sequence.
double recomputedOperations(const RunSpec& spec, const SequenceShape& shape, double layers)
{
    switch (spec.memory.recompute) {
    case RecomputeKind::None:
        return 0;
    case RecomputeKind::Selective: // equation 8 counts scores and values twice in all three passes
        return 12.0 * shape.length * shape.length * spec.model.hidden * spec.model.layers;
    case RecomputeKind::Full:
        return layers * recomputedShare(spec);
    }
    return 0;
}

/// Of one sequence, forward and backward. Frozen products have no gradient of their weights; attention has
/// none anyway. What adapters compute is not worth counting.
double modelOperations(const RunSpec& spec, const SequenceShape& shape, double forward)
{
    if (!spec.model.lora.isOn())
        return 3 * forward;
    const double attention = 4.0 * shape.length * shape.length * spec.model.hidden * spec.model.layers;
    return 2 * forward + attention;
}

} // namespace

StepOperations stepOperations(const RunSpec& spec, const SequenceShape& shape)
{
    const PartCosts forward = operationCosts(spec.model, shape);
    const double layers = std::accumulate(forward.layers.begin(), forward.layers.end(), 0.0);
    const double model = modelOperations(spec, shape, layers + forward.head);
    const double global = spec.batch.global;
    return {global * model, global * (model + recomputedOperations(spec, shape, layers))};
}

StepStats stepStats(const RunSpec& spec, const SequenceShape& shape, double peak, double seconds)
{
    const StepOperations operations = stepOperations(spec, shape);
    const double devices = spec.layout.worldSize();
    StepStats stats;
    stats.sequencesPerSecond = spec.batch.global / seconds;
    stats.tokensPerSecond = stats.sequencesPerSecond * shape.length;
    stats.modelRate = operations.model / devices / seconds;
    stats.hardwareRate = operations.hardware / devices / seconds;
    stats.modelUtilization = stats.modelRate / peak;
    stats.hardwareUtilization = stats.hardwareRate / peak;
    return stats;
}

TrainingEffort trainingEffort(double tokens, const StepStats& stats, const ClusterModel& cluster)
{
    const double days = tokens / stats.tokensPerDay();
    return {days, days * 24 * cluster.pricePerHour()};
}

double trainingSeconds(const RunSpec& spec, double first, double full)
{
    const double start = spec.batch.ramp.start;
    double seconds = 0;
    for (const auto& [global, steps] : BatchRamp(spec.batch).stretches(spec.launch.steps)) {
        const bool isFull = global == spec.batch.global;
        const double way = isFull ? 1 : (global - start) / (spec.batch.global - start);
        seconds += static_cast<double>(steps) * (first + way * (full - first));
    }
    return seconds;
}

} // namespace trainyard
