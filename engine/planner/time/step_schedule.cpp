#include "engine/planner/time/step_schedule.h"

#include "engine/planner/pipeline/make_schedule.h"

namespace trainyard {

namespace {

/// Micro-batches after which a full pipeline repeats itself: once round all ranks. All of them where the
/// groups of an interleaved schedule are unequal.
int periodOf(const RunSpec& spec)
{
    const int ranks = spec.layout.pipeline;
    const bool interleaved = ranks > 1 && spec.layout.schedule == PipelineScheduleKind::Interleaved;
    return interleaved && spec.batch.accumulation % ranks != 0 ? spec.batch.accumulation : ranks;
}

/// Micro-batches that are simulated: at least two more periods than it takes to fill and empty the pipeline.
int simulatedCount(const RunSpec& spec)
{
    const int all = spec.batch.accumulation;
    const int period = periodOf(spec);
    const int enough = 3 * spec.layout.pipeline + 2 * period;
    if (all <= enough)
        return all;
    return all - (all - enough) / period * period;
}

Result<PipelineSchedule> scheduleOf(RunSpec spec, int microBatches)
{
    spec.batch.accumulation = microBatches;
    return makeSchedule(spec);
}

double simulated(const PipelineSchedule& schedule, const PipelineCosts& costs)
{
    return simulate(schedule, costs).value().duration();
}

} // namespace

Result<StepSchedule> StepSchedule::create(const RunSpec& spec)
{
    const int count = simulatedCount(spec);
    const int periods = (spec.batch.accumulation - count) / periodOf(spec);
    TRAINYARD_TRY(PipelineSchedule schedule, scheduleOf(spec, count));
    TRAINYARD_TRY(PipelineSchedule shorter,
                  periods > 0 ? scheduleOf(spec, count - periodOf(spec)) : Result(PipelineSchedule{}));
    PipelineShape shape = schedule.shape;
    shape.microBatches = spec.batch.accumulation;
    return StepSchedule(shape, std::move(schedule), std::move(shorter), periods);
}

double StepSchedule::duration(const PipelineCosts& costs) const
{
    const double seconds = simulated(m_simulated, costs);
    return m_periods == 0 ? seconds : seconds + m_periods * (seconds - simulated(m_shorter, costs));
}

} // namespace trainyard
