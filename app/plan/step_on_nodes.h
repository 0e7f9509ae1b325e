#pragma once

#include "app/plan/planned_run.h"
#include "engine/planner/pipeline/simulator.h"

namespace trainyard {

// What a step takes on the nodes of a plan. `spec` may have another layout, or more hosts of the same kinds
// in the same order (repeatedCluster()). Where nodes differ each pipeline rank takes what its own ones take;
// with too few slots for that the governing one stands for all. Errors as StepModel::create().

Result<StepTime> stepTimeOn(const PlannedTime& plan, const RunSpec& spec, const SequenceShape& shape);
/// Seconds of every stage's actions: what its schedule is played with.
Result<PipelineCosts> stepCostsOn(const PlannedTime& plan, const RunSpec& spec, const SequenceShape& shape);

/// Of the hosts that get ranks; 0 unless each of them has a price, in one currency.
double pricePerHourOn(const PlannedTime& plan, const RunSpec& spec);

/// Hosts for so many ranks: those of the cluster, in their order, again and again.
ClusterSpec repeatedCluster(const ClusterSpec& cluster, int ranks);

} // namespace trainyard
