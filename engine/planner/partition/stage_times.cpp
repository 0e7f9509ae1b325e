#include "engine/planner/partition/stage_times.h"

#include <algorithm>
#include <list>

#include "engine/base/check.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

namespace {

/// What all stages would take if every node were of that kind.
struct Kind {
    const NodeModel* node;
    PipelineCosts costs;
    PartCosts parts;
    std::vector<TimeByCause> ranks; ///< by pipeline rank
    TimeByCause update;

    double layer() const { return parts.layers.front(); }
};

/// Makes each kind of node once.
class Kinds {
public:
    Kinds(const RunSpec& spec, const SequenceShape& shape) : m_spec(spec), m_shape(shape) {}

    /// Of each pipeline rank. `nodes` must stay.
    Result<std::vector<const Kind*>> of(const std::vector<PipelineNode>& nodes)
    {
        TRAINYARD_CHECK(static_cast<int>(nodes.size()) == m_spec.layout.pipeline);
        std::vector<const Kind*> kinds;
        for (const PipelineNode& node : nodes) {
            TRAINYARD_TRY(const Kind* kind, of(node.node));
            kinds.push_back(kind);
        }
        return kinds;
    }

    const Kind& fastest() const
    {
        return *std::min_element(m_kinds.begin(), m_kinds.end(),
                                 [](const Kind& a, const Kind& b) { return a.layer() < b.layer(); });
    }

private:
    Result<const Kind*> of(const NodeModel& node)
    {
        for (const Kind& kind : m_kinds) {
            if (*kind.node == node)
                return &kind;
        }
        TRAINYARD_TRY(const StepModel model,
                      StepModel::create(m_spec, m_shape, node, trainyardProgram(), ScheduleDetail::Formula));
        m_kinds.push_back({&node, model.costs(), model.partSeconds(), model.rankTimes(), model.updateTime()});
        return &m_kinds.back();
    }

    const RunSpec& m_spec;
    const SequenceShape& m_shape;
    std::list<Kind> m_kinds; ///< a list, for its elements stay where they are
};

/// Each stage as on the nodes of its pipeline rank; not yet played.
StageTimes mixed(const std::vector<const Kind*>& kindOfRank, const Kind& fastest)
{
    StageTimes times;
    times.parts = fastest.parts;
    const std::size_t stages = fastest.costs.stages.size();
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const Kind& kind = *kindOfRank[stage % kindOfRank.size()];
        times.costs.stages.push_back(kind.costs.stages[stage]);
        times.costs.optimizerStep = std::max(times.costs.optimizerStep, kind.costs.optimizerStep);
        times.costs.transfer = std::max(times.costs.transfer, kind.costs.transfer);
        times.slowness.push_back(kind.layer() / fastest.layer());
    }
    return times;
}

/// Brings passes to what was measured of their parts; reductions are another matter.
void scalePasses(StageCosts& stage, double factor)
{
    for (double* pass : {&stage.forward, &stage.backward, &stage.backwardInput, &stage.backwardWeight})
        *pass *= factor;
}

void scaleToMeasured(StageTimes& times, const PartCosts& measured, const std::vector<int>& layerCounts)
{
    const std::vector<double> planned = stageLoads(times.parts, layerCounts);
    const std::vector<double> found = stageLoads(measured, layerCounts);
    for (std::size_t stage = 0; stage < layerCounts.size(); ++stage)
        scalePasses(times.costs.stages[stage], found[stage] / planned[stage]);
    times.parts = measured;
}

} // namespace

Result<StageTimes> timeStages(const RunSpec& spec, const SequenceShape& shape,
                              const std::vector<PipelineNode>& nodes,
                              const std::optional<PartCosts>& measured)
{
    Kinds kinds(spec, shape);
    TRAINYARD_TRY(const std::vector<const Kind*> kindOfRank, kinds.of(nodes));
    StageTimes times = mixed(kindOfRank, kinds.fastest());
    if (measured) {
        TRAINYARD_TRY(const std::vector<int> layerCounts, layersPerStage(spec, shape));
        scaleToMeasured(times, *measured, layerCounts);
    }
    TRAINYARD_TRY(const StepSchedule schedule, StepSchedule::create(spec));
    times.step = schedule.duration(times.costs);
    return times;
}

Result<StepTime> timeStep(const RunSpec& spec, const SequenceShape& shape,
                          const std::vector<PipelineNode>& nodes)
{
    TRAINYARD_TRY(const StageTimes times, timeStages(spec, shape, nodes));
    Kinds kinds(spec, shape);
    TRAINYARD_TRY(const std::vector<const Kind*> kindOfRank, kinds.of(nodes));
    std::vector<TimeByCause> ranks;
    TimeByCause update{};
    for (std::size_t rank = 0; rank < kindOfRank.size(); ++rank) {
        ranks.push_back(kindOfRank[rank]->ranks[rank]);
        update = sum(kindOfRank[rank]->update) > sum(update) ? kindOfRank[rank]->update : update;
    }
    return stepOf(times.step, ranks, update);
}

} // namespace trainyard
