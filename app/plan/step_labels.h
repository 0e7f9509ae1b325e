#pragma once

#include <QString>

#include "engine/planner/pipeline/simulator.h"
#include "engine/planner/time/common_causes.h"
#include "engine/planner/time/step_model.h"
#include "engine/planner/time/step_timeline.h"

namespace trainyard {

/// The label of a cause: "matrix products".
QString causeLabel(StepCause cause);
/// One cause of a planned step with its parts: "compute 182 ms, 45.3 %", then a line for each.
QString causeDetails(CommonCause cause, const StepTime& step);

/// "forward", "input gradients", ...
QString actionLabel(PipelineActionKind kind);
/// "stage 3", where that action of a pipeline rank belongs; "rank 1" for what is no stage's.
QString stageLabel(const PipelineShape& shape, int rank, const PipelineAction& action);
/// "forward of micro-batch 7 · at 120 ms for 8.31 ms".
QString actionDetails(const TimedAction& timed);
/// "8 stages · 32 micro-batches · bubble 182 ms, 17.9 %" (of the step), and what was left out.
QString pipelineSummary(const StepTimeline& timeline, const StepTime& step);

} // namespace trainyard
