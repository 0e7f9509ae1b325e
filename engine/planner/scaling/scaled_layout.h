#pragma once

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

enum class Scaling {
    Strong, ///< the same global batch on more ranks: accumulation shrinks
    Weak,   ///< the same work per rank: the global batch grows
};

/// The same training on another number of ranks, by data parallelism, at its full batch; cluster and name
/// stay. For a specification without phases. BadInput where the ranks hold no whole copies of the model or
/// are more than a specification may ask for, or where there is no micro-batch, Refused where the global
/// batch does not divide.
Result<RunSpec> scaledLayout(const RunSpec& spec, int ranks, Scaling scaling);

/// The specification for one world size of a scaling study, by data parallelism: studiedPhase() of the run
/// with the same model, steps and seed, named `<name>-<ranks>r`, on the first hosts that have enough slots.
/// Refused with the reason when the slots or
/// the global batch do not allow it.
Result<RunSpec> scaledCopy(const RunSpec& spec, int ranks, Scaling scaling);

} // namespace trainyard
