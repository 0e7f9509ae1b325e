#include "engine/planner/time/step_schedule.h"

#include <algorithm>
#include <cstdint>

#include "engine/planner/pipeline/make_schedule.h"
#include "engine/spec/pipeline_rules.h"

namespace trainyard {

namespace {

/// Passes of all ranks that are simulated at most, which takes some milliseconds.
constexpr std::int64_t kMaxSimulatedPasses = 60'000;

/// Micro-batches after which a full pipeline repeats itself: once round all ranks.
int periodOf(const RunSpec& spec)
{
    return spec.layout.pipeline;
}

/// Micro-batches in the groups of an interleaved schedule that are larger by one, which come first: one group
/// for each micro-batch that is left over when all are dealt to the ranks.
std::int64_t inLargerGroups(const RunSpec& spec)
{
    const std::int64_t ranks = spec.layout.pipeline;
    const bool interleaved = spec.layout.schedule == PipelineScheduleKind::Interleaved;
    return interleaved ? spec.batch.accumulation % ranks * (ranks + 1) : 0;
}

/// Micro-batches that are simulated: at least two more periods than it takes to fill and empty the pipeline,
/// behind the larger groups.
std::int64_t simulatedCount(const RunSpec& spec)
{
    const std::int64_t all = spec.batch.accumulation;
    const std::int64_t period = periodOf(spec);
    const std::int64_t enough = (spec.layout.virtualStages + 3) * period + inLargerGroups(spec);
    return all <= enough ? all : all - (all - enough) / period * period;
}

Result<PipelineSchedule> scheduleOf(RunSpec spec, int microBatches)
{
    spec.batch.accumulation = microBatches;
    return makeScheduleForTiming(spec);
}

double simulated(const PipelineSchedule& schedule, const PipelineCosts& costs)
{
    return simulate(schedule, costs).value().duration();
}

PipelineShape shapeOf(const RunSpec& spec)
{
    const int chunks = spec.layout.pipeline > 1 ? spec.layout.virtualStages : 1;
    return {spec.layout.pipeline, chunks, spec.batch.accumulation};
}

double busyOf(const StageCosts& stage, PipelineScheduleKind kind)
{
    const bool splits = kind == PipelineScheduleKind::ZeroBubble;
    return stage.forward + (splits ? stage.backwardInput + stage.backwardWeight : stage.backward);
}

/// What a rank adds to the time until the pipeline is full and empty again. Zero-bubble fills its idle time
/// with weight gradients, as far as there is any.
double fillOf(const StageCosts& stage, PipelineScheduleKind kind)
{
    if (kind == PipelineScheduleKind::ZeroBubble)
        return stage.forward + std::max(0.0, stage.backwardInput - stage.backwardWeight);
    return stage.forward + stage.backward;
}

} // namespace

Result<StepSchedule> StepSchedule::create(const RunSpec& spec, ScheduleDetail detail)
{
    StepSchedule step(shapeOf(spec), spec.layout.schedule);
    const PipelineShape& shape = step.m_shape;
    const auto count = static_cast<int>(simulatedCount(spec));
    const std::int64_t passes = std::int64_t{2} * shape.stages() * count;
    if (detail == ScheduleDetail::Formula || passes > kMaxSimulatedPasses) {
        if (const auto problem =
                scheduleProblem(spec.layout.schedule, shape.ranks, shape.chunks, shape.microBatches);
            problem && shape.ranks > 1)
            return problem->error();
        return step;
    }
    step.m_periods = (spec.batch.accumulation - count) / periodOf(spec);
    TRAINYARD_TRY(step.m_simulated, scheduleOf(spec, count));
    if (step.m_periods > 0) {
        TRAINYARD_TRY(step.m_shorter, scheduleOf(spec, count - periodOf(spec)));
    }
    return step;
}

double StepSchedule::duration(const PipelineCosts& costs) const
{
    if (m_simulated.ranks.empty())
        return formula(costs);
    const double seconds = simulated(m_simulated, costs);
    return m_periods == 0 ? seconds : seconds + m_periods * (seconds - simulated(m_shorter, costs));
}

/// The slowest rank is busy all the time, but for what the others take to fill and empty the pipeline.
double StepSchedule::formula(const PipelineCosts& costs) const
{
    double slowest = 0;
    double slowestFill = 0;
    double fill = 0;
    double reduction = 0;
    for (int rank = 0; rank < m_shape.ranks; ++rank) {
        double busy = 0;
        double own = 0;
        for (int chunk = 0; chunk < m_shape.chunks; ++chunk) {
            const StageCosts& stage = costs.stages[static_cast<std::size_t>(m_shape.stageOf(rank, chunk))];
            busy += busyOf(stage, m_kind);
            own += fillOf(stage, m_kind);
            reduction = std::max(reduction, stage.reduceGradients * m_shape.chunks);
        }
        slowest = std::max(slowest, busy);
        slowestFill = std::max(slowestFill, own);
        fill += own;
    }
    const double transfers = 2 * (m_shape.ranks - 1) * costs.transfer;
    return m_shape.microBatches * slowest + (fill - slowestFill) / m_shape.chunks + transfers + reduction +
           costs.optimizerStep;
}

} // namespace trainyard
