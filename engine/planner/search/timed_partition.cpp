#include "engine/planner/search/timed_partition.h"

#include "engine/planner/stage_costs.h"

namespace trainyard {

Result<RunSpec> partitionedByTime(const SearchRequest& request, const RunSpec& spec)
{
    RunSpec timed = spec;
    timed.layout.partition = {};
    if (spec.layout.pipeline == 1)
        return timed;
    TRAINYARD_TRY(const StepModel model, StepModel::create(timed, request.shape, request.node,
                                                           trainyardProgram(), ScheduleDetail::Formula));
    TRAINYARD_TRY(const std::vector<int> even, layersPerStage(timed, request.shape));
    TRAINYARD_TRY(const std::vector<int> counts, partitionLayers(model.partSeconds(), spec.layout.stages()));
    if (counts != even)
        timed.layout.partition = {PartitionKind::ByHand, counts};
    return timed;
}

} // namespace trainyard
