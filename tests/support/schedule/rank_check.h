#pragma once

#include "engine/base/result.h"
#include "engine/planner/pipeline/pipeline_schedule.h"

namespace trainyard {

/// The part of checkSchedule() that concerns one rank alone: its list is complete, and no action stands
/// before what it needs.
Status checkRank(const PipelineShape& shape, int rank, const ActionList& list);

} // namespace trainyard
