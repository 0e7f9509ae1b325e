#pragma once

#include <vector>

#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// In-flight micro-batches of a pipeline rank, by chunk: those whose activations it holds when its first
/// backward pass begins, the largest number. With pendingMicroBatches() as many as the schedule has
/// (peakInFlight(); compute_order.h). Without a pipeline there is one chunk, whatever the specification says.
std::vector<Bytes> inFlightMicroBatches(const RunSpec& spec, int pipelineRank);

/// Of a zero-bubble schedule: those of which the gradients of weights alone are to come.
Bytes pendingMicroBatches(const RunSpec& spec, int pipelineRank);

} // namespace trainyard
