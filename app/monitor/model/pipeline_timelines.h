#pragma once

#include <QString>

#include "app/plan/planned_run.h"
#include "engine/planner/time/step_timeline.h"
#include "engine/records/record.h"

namespace trainyard {

struct RunFacts;

/// A traced step as pictures and words of a played one take it. Nothing when a rank has nothing to show.
std::optional<StepTimeline> measuredTimeline(const PipelineTrace& trace);

/// The same step as the run's specification promised it. BadInput with the reason when it has no planned
/// time, or what playStep() refuses.
Result<StepTimeline> plannedTimeline(const RunFacts& facts, const Result<PlannedRun>& plan);

/// Whether the backward passes are split into those of inputs and those of weights.
bool splitsBackward(const StepTimeline& timeline);

/// "passes and update 0.92 s · waiting 21.3 % of the ranks' time".
QString timelineWords(const StepTimeline& timeline);

} // namespace trainyard
