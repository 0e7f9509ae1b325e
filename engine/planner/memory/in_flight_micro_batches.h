#pragma once

#include <vector>

#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// By chunk of a pipeline rank: micro-batches whose activations it holds when its first backward pass begins,
/// which is when it holds most (peakInFlight() of the schedule; compute_order.h). Without a pipeline there is
/// one chunk, whatever the specification says of them.
std::vector<Bytes> heldPasses(const RunSpec& spec, int pipelineRank);

} // namespace trainyard
