#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

enum class Scaling {
    Strong, ///< the same global batch on more ranks: accumulation shrinks
    Weak,   ///< the same work per rank: the global batch grows
};

/// The specification for one world size of a scaling study, by data parallelism: same model, steps and seed,
/// named
/// `<name>-<ranks>r`, on the first hosts that have enough slots. Refused with the reason when the slots or
/// the global batch do not allow it.
Result<RunSpec> scaledCopy(const RunSpec& spec, int ranks, Scaling scaling);

} // namespace trainyard
