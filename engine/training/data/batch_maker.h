#pragma once

#include <cstdint>
#include <vector>

#include "datasets/shards/row_block.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// One micro-batch and what is in it.
struct MicroBatch {
    TokenBatch batch;
    std::int64_t tokens = 0; ///< not counting padding
};

/// Tensors of the rows. `sampleIndices` has one entry per row: its place in the run's order of samples.
/// Masked positions end at the first one that is 0 ([CLS] is never masked). An encoder gets the masked rows
/// and predicts what was masked; a decoder gets the text as it was and predicts every next token.
MicroBatch makeMicroBatch(const RowBlock& rows, ModelFamily family, std::vector<std::uint64_t> sampleIndices);

} // namespace trainyard
