#pragma once

#include <QString>

#include "app/plan/planned_run.h"
#include "engine/planner/time/step_timeline.h"
#include "engine/records/record.h"

namespace trainyard {

struct RunFacts;

/// Converts a traced step to the form of a simulated one; nullopt when a rank has no passes.
std::optional<StepTimeline> measuredTimeline(const PipelineTrace& trace);

/// Returns the same step as planned from the run's specification. BadInput with the reason when it has no
/// planned time, or the error of playStep().
Result<StepTimeline> plannedTimeline(const RunFacts& facts, const Result<PlannedRun>& plan);

/// True when the backward passes are split into those of inputs and those of weights.
bool splitsBackward(const StepTimeline& timeline);

/// Summarizes a step: "passes and update 0.92 s · waiting 21.3 % of the ranks' time".
QString timelineSummary(const StepTimeline& timeline);

} // namespace trainyard
