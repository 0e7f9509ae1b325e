#pragma once

#include "engine/base/result.h"
#include "engine/planner/pipeline/pipeline_schedule.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The action lists of one optimizer step; what the schedules look like is said at computeOrder(). Each
/// chunk's gradients are reduced as soon as its last micro-batch is through. Refused as scheduleProblem()
/// says.
Result<PipelineSchedule> makeSchedule(PipelineScheduleKind kind, const PipelineShape& shape);

/// The schedule of a run: its pipeline ranks, virtual stages, and one micro-batch per accumulation. Without a
/// pipeline, each micro-batch goes forward and backward in turn, whatever schedule the layout names.
Result<PipelineSchedule> makeSchedule(const RunSpec& spec);

/// The same, for who only asks how long it takes under TransferMode::Overlapped: exactly as long, and made in
/// a fraction of the time. Its transfers stand beside their passes (withNearestTransfers()), where an
/// executor whose sends block would hang.
Result<PipelineSchedule> makeScheduleForTiming(const RunSpec& spec);

} // namespace trainyard
