#pragma once

#include "engine/nn/token_batch.h"

namespace trainyard {

/// Sequences [first, first + count) of a batch with their targets.
TokenBatch sequencesOf(const TokenBatch& batch, std::int64_t first, std::int64_t count);

/// The number of targets in the sequences before `sequence`; targets are in the order of their positions.
std::int64_t targetsBefore(const TokenBatch& batch, std::int64_t sequence);

} // namespace trainyard
