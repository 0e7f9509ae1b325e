#pragma once

#include <optional>
#include <vector>

#include "engine/planner/layout/stage_partition.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/partition/pipeline_nodes.h"
#include "engine/planner/pipeline/simulator.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

/// Times of a run's stages, whose nodes may differ. Seconds.
struct StageTimes {
    PipelineCosts costs;          ///< costs for simulating the schedule
    double step = 0;              ///< of all of it, simulated
    PartCosts parts;              ///< of one micro-batch on the fastest nodes, forward and backward
    std::vector<double> slowness; ///< by stage: how many times as long a layer takes as on the fastest
};

/// Each stage takes what StepModel has for the node of its pipeline rank; the step ends when the slowest one
/// has updated its weights. Where all nodes are equal it takes what StepModel::estimate() says. `nodes`: of
/// each pipeline rank. `measured`: seconds of the parts on the fastest nodes, in place of the model's. Errors
/// as StepModel::create().
Result<StageTimes> timeStages(const RunSpec& spec, const SequenceShape& shape,
                              const std::vector<PipelineNode>& nodes,
                              const std::optional<PartCosts>& measured = {});

/// The same step by cause, on the pipeline rank that is busiest.
Result<StepTime> timeStep(const RunSpec& spec, const SequenceShape& shape,
                          const std::vector<PipelineNode>& nodes);

} // namespace trainyard
