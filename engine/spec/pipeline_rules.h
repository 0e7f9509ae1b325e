#pragma once

#include <optional>

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What keeps a schedule from working, with the nearest settings that do; nothing when it works.
/// 1F1B, interleaved and zero-bubble fill the pipeline once and then keep every rank busy, which takes at
/// least as many micro-batches as pipeline ranks; GPipe works with any number. Several chunks of the model
/// per rank are what "interleaved" means, and no other schedule has them.
std::optional<Diagnostic> scheduleProblem(PipelineScheduleKind kind, int ranks, int virtualStages,
                                          int microBatches);

/// Everything that is wrong with the pipeline of a run: the schedule, the layers per stage, and what else the
/// run asks for that does not go with them. Empty without a pipeline, where these fields do nothing.
/// Requires degrees, layers and batch sizes of at least 1.
Diagnostics pipelineProblems(const RunSpec& spec);

} // namespace trainyard
