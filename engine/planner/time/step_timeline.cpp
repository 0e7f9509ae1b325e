#include "engine/planner/time/step_timeline.h"

#include <algorithm>
#include <cstdint>

#include "engine/planner/pipeline/make_schedule.h"

namespace trainyard {

namespace {

/// A multiple of the pipeline's ranks, as the interleaved schedule wants its micro-batches.
int playedMicroBatches(const PipelineShape& shape, int mostPasses)
{
    const std::int64_t passes = std::int64_t{2} * shape.stages();
    const std::int64_t rounds = mostPasses / (passes * shape.ranks);
    return static_cast<int>(
        std::min<std::int64_t>(shape.microBatches, std::max<std::int64_t>(1, rounds) * shape.ranks));
}

bool isTransfer(const TimedAction& timed)
{
    return isSend(timed.action.kind) || isReceive(timed.action.kind);
}

} // namespace

Result<StepTimeline> playStep(const RunSpec& spec, const PipelineCosts& costs, int mostPasses)
{
    StepTimeline step;
    step.microBatches = spec.batch.accumulation;
    step.shape.ranks = spec.layout.pipeline;
    step.shape.chunks = spec.layout.pipeline > 1 ? spec.layout.virtualStages : 1;
    step.shape.microBatches = spec.batch.accumulation;
    step.shape.microBatches = playedMicroBatches(step.shape, mostPasses);
    RunSpec played = spec;
    played.batch.accumulation = step.shape.microBatches;
    TRAINYARD_TRY(const PipelineSchedule schedule, makeScheduleForTiming(played));
    TRAINYARD_TRY(step.played, simulate(schedule, costs));
    for (auto& actions : step.played.ranks)
        std::erase_if(actions, isTransfer);
    return step;
}

} // namespace trainyard
