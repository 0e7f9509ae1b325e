#include "app/plan/heterogeneous_step_time.h"

#include "engine/planner/partition/stage_times.h"

namespace trainyard {

namespace {

/// Of each host of the specification, whose cluster may go round more than once.
std::vector<NodeModel> nodesFor(const PlannedTime& plan, const RunSpec& spec)
{
    std::vector<NodeModel> each;
    for (std::size_t i = 0; i < spec.cluster.nodes.size(); ++i)
        each.push_back(plan.unequal->at(i % plan.unequal->size()));
    return each;
}

bool eachCounts(const PlannedTime& plan, const RunSpec& spec)
{
    return plan.unequal && spec.layout.worldSize() <= spec.cluster.totalSlots();
}

} // namespace

Result<StepTime> stepTimeOn(const PlannedTime& plan, const RunSpec& spec, const SequenceShape& shape)
{
    if (!eachCounts(plan, spec)) {
        TRAINYARD_TRY(const StepModel model, StepModel::create(spec, shape, plan.node));
        return model.estimate();
    }
    TRAINYARD_TRY(const std::vector<PipelineNode> ranks, pipelineNodes(spec, nodesFor(plan, spec)));
    return timeStep(spec, shape, ranks);
}

Result<PipelineCosts> stepCostsOn(const PlannedTime& plan, const RunSpec& spec, const SequenceShape& shape)
{
    if (!eachCounts(plan, spec)) {
        TRAINYARD_TRY(const StepModel model, StepModel::create(spec, shape, plan.node));
        return model.costs();
    }
    TRAINYARD_TRY(const std::vector<PipelineNode> ranks, pipelineNodes(spec, nodesFor(plan, spec)));
    TRAINYARD_TRY(StageTimes times, timeStages(spec, shape, ranks));
    return std::move(times.costs);
}

double pricePerHourOn(const PlannedTime& plan, const RunSpec& spec)
{
    ClusterModel paid;
    int ranks = spec.layout.worldSize();
    for (std::size_t i = 0; i < spec.cluster.nodes.size() && ranks > 0; ++i) {
        paid.parts.push_back({plan.unequal ? plan.unequal->at(i % plan.unequal->size()) : plan.node, 1});
        ranks -= spec.cluster.nodes[i].slotCount;
    }
    return paid.parts.empty() ? 0 : paid.pricePerHour();
}

ClusterSpec repeatedCluster(const ClusterSpec& cluster, int ranks)
{
    ClusterSpec repeated = cluster;
    if (cluster.totalSlots() < 1)
        return repeated;
    for (std::size_t i = 0; repeated.totalSlots() < ranks; ++i)
        repeated.nodes.push_back(cluster.nodes[i % cluster.nodes.size()]);
    return repeated;
}

} // namespace trainyard
