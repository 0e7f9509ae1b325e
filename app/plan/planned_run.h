#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "engine/base/result.h"
#include "engine/planner/explain/plan_problems.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/planner/layout/shape.h"
#include "engine/planner/memory/memory_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/time/step_model.h"
#include "engine/planner/time/step_stats.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Inputs of a plan besides the specification. Neither function may be empty.
struct PlanInputs {
    SequenceShape shape;
    /// What hardware of that name is: HardwareLibrary::find().
    std::function<Result<NodeModel>(const std::string& name)> hardware;
    /// What was found on a host of the run; nullopt if it was not checked.
    std::function<NodeMemory(const NodeSpec& node)> found;
};

/// Step time of a run, and the time of all its steps.
struct PlannedTime {
    NodeModel node;  ///< of unequal ones the governing one
    double peak = 0; ///< operations per second of a device, of unequal ones on average
    /// Where the nodes that get ranks differ, what each of cluster.nodes is, those without ranks perhaps
    /// empty; else null. Copies share it.
    std::shared_ptr<const std::vector<NodeModel>> unequal{};
    StepTime step;
    StepStats stats;
    TrainingEffort training; ///< of launch.steps steps

    /// Range of the expected step time; nullopt for hardware that was not calibrated.
    std::optional<TimeBand> band() const;
};

/// Everything known about a run before launch, for the command line and the window.
struct PlannedRun {
    MemoryEstimate memory{}; ///< of the most loaded rank
    /// The same of a rank of each pipeline rank, first to last.
    std::vector<RankMemory> pipelineRanks{};
    std::vector<HostMemory> hosts{};          ///< those that get a rank
    std::optional<MemoryShortage> shortage{}; ///< what is too small for the ranks that lie there
    /// Nothing while a node that gets ranks has no cluster.nodes[].hardware. BadInput for a name that is
    /// none, what is wrong with an invalid specification, or what StepModel::create() refuses.
    Result<std::optional<PlannedTime>> time = std::optional<PlannedTime>();

    bool hasTime() const { return time.ok() && time->has_value(); }
    bool fits() const { return !shortage; }
};

/// Memory of a host is what was found there, else what its hardware has. Few milliseconds; of an invalid
/// specification something near, as estimateMemory() says.
PlannedRun planRun(const RunSpec& spec, const PlanInputs& inputs);

/// The same inputs as explainPlan() asks for them, with the run's data set where that is known. Hosts are
/// looked at once for each number of ranks; hardware that is not there leaves their room unknown.
PlanFacts planFacts(const PlanInputs& inputs, const std::optional<DataSetShape>& rows);

/// Main memory and processor of this machine, where the node is it and nothing else is known of it: no link
/// is needed to look. Empty for every other node.
NodeMemory memoryHere(const NodeSpec& node);

/// Sequences of that many tokens where nothing is known of their data set. BERT masks 15 % of them (Devlin et
/// al., arXiv:1810.04805, section 3.1); a decoder masks none, and predicts at every position.
SequenceShape sequencesOf(int length);

/// A specification with its plan. A plain value: it can go to other threads and be kept for comparison.
struct PlannedDesign {
    RunSpec spec; ///< without phases: that of the phase
    SequenceShape shape{};
    PlannedRun plan{};
    /// Throughput of one rank, against that on the fewest whole nodes (ScalingForecast); NaN = not worked
    /// out.
    double efficiency = std::numeric_limits<double>::quiet_NaN();
    int phase = 0;                  ///< of the run, from 0
    std::optional<RunSpec> whole{}; ///< the run; nullopt: it has no phases, and is `spec`

    const RunSpec& run() const { return whole ? *whole : spec; }
    bool hasTime() const { return plan.hasTime(); }
    const PlannedTime& time() const { return **plan.time; } ///< requires hasTime()
};

/// The first node with ranks but without hardware.
std::optional<std::size_t> nodeOfUnknownHardware(const PlannedDesign& design);
/// The reason why the design has no time, as one sentence with advice; empty if it has one.
QString timeObstacle(const PlannedDesign& design);
/// A short form, for places next to the full one.
QString timeObstacleInShort(const PlannedDesign& design);

} // namespace trainyard
