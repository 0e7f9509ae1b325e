#include "engine/planner/pipeline/make_schedule.h"

#include "engine/planner/pipeline/compute_order.h"
#include "engine/planner/pipeline/transfer_order.h"
#include "engine/spec/pipeline_rules.h"

namespace trainyard {

namespace {

using Kind = PipelineActionKind;

/// Reduces each chunk's gradients behind their last part, and ends with the step.
ActionList withReductions(const ActionList& passes, const PipelineShape& shape)
{
    std::vector<int> left(static_cast<std::size_t>(shape.chunks), shape.microBatches);
    ActionList list;
    for (const PipelineAction& action : passes) {
        list.push_back(action);
        const bool givesWeightGradients =
            action.kind == Kind::Backward || action.kind == Kind::BackwardWeight;
        if (givesWeightGradients && --left[static_cast<std::size_t>(action.chunk)] == 0)
            list.push_back({Kind::ReduceGradients, -1, action.chunk});
    }
    list.push_back({Kind::OptimizerStep, -1, -1});
    return list;
}

using PlaceTransfers = PipelineSchedule (*)(const PipelineShape&, const std::vector<ActionList>&);

Result<PipelineSchedule> make(PipelineScheduleKind kind, const PipelineShape& shape, PlaceTransfers place)
{
    if (const auto problem = scheduleProblem(kind, shape.ranks, shape.chunks, shape.microBatches))
        return toError({*problem});
    std::vector<ActionList> lists;
    for (int rank = 0; rank < shape.ranks; ++rank)
        lists.push_back(withReductions(computeOrder(kind, shape, rank), shape));
    return place(shape, lists);
}

Result<PipelineSchedule> make(const RunSpec& spec, PlaceTransfers place)
{
    const ParallelLayout& layout = spec.layout;
    const int microBatches = spec.batch.accumulation;
    if (layout.pipeline == 1)
        return make(PipelineScheduleKind::OneForwardOneBackward, {1, 1, microBatches}, place);
    return make(layout.schedule, {layout.pipeline, layout.virtualStages, microBatches}, place);
}

} // namespace

Result<PipelineSchedule> makeSchedule(PipelineScheduleKind kind, const PipelineShape& shape)
{
    return make(kind, shape, withTransfers);
}

Result<PipelineSchedule> makeSchedule(const RunSpec& spec)
{
    return make(spec, withTransfers);
}

Result<PipelineSchedule> makeScheduleForTiming(const RunSpec& spec)
{
    return make(spec, withNearestTransfers);
}

} // namespace trainyard
