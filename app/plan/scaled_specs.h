#pragma once

#include "engine/base/result.h"
#include "engine/planner/scaling/scaled_layout.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The specification for one world size of a scaling study, by data parallelism: same model, steps and seed,
/// named
/// `<name>-<ranks>r`, on the first hosts that have enough slots. Refused with the reason when the slots or
/// the global batch do not allow it.
Result<RunSpec> scaledCopy(const RunSpec& spec, int ranks, Scaling scaling);

} // namespace trainyard
