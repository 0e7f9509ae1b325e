#pragma once

#include "engine/base/ids.h"
#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/step_loader.h"

namespace trainyard {

/// Synthetic sequences of different lengths with targets, for one rank of the data-parallel group. A sequence
/// depends only on the seed and on its place in the order of samples, as in a real run.
StepInput syntheticInput(const RunSpec& spec, const SequenceShape& shape, Step step, Rank dataRank);

} // namespace trainyard
