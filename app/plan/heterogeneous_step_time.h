#pragma once

#include "app/plan/planned_run.h"
#include "engine/planner/pipeline/simulator.h"

namespace trainyard {

// Step time on the nodes of a plan. `spec` may have another layout, or more hosts of the same kinds in the
// same order (repeatedCluster()). On unequal nodes each pipeline rank takes the time of its own nodes; with
// too few slots for that, the governing node stands for all. Errors as StepModel::create().

Result<StepTime> stepTimeOn(const PlannedTime& plan, const RunSpec& spec, const SequenceShape& shape);
/// Seconds of every stage's actions, the input of its schedule.
Result<PipelineCosts> stepCostsOn(const PlannedTime& plan, const RunSpec& spec, const SequenceShape& shape);

/// Total of the hosts that get ranks; 0 unless all have a price in one currency.
double pricePerHourOn(const PlannedTime& plan, const RunSpec& spec);

/// A cluster with enough hosts for `ranks`: those of `cluster` in order, repeated.
ClusterSpec repeatedCluster(const ClusterSpec& cluster, int ranks);

} // namespace trainyard
