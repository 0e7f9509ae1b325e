#pragma once

#include <cstdint>
#include <vector>

#include "datasets/shards/row_block.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// One micro-batch and its number of tokens.
struct MicroBatch {
    TokenBatch batch;
    std::int64_t tokens = 0; ///< not counting padding
};

/// Converts rows to tensors. `sampleIndices` has one entry per row: its position in the run's order of
/// samples. The masked positions of a row end at the first 0 ([CLS] is never masked). An encoder gets the
/// masked rows and predicts the masked tokens; a decoder gets the original text and predicts every next
/// token.
MicroBatch makeMicroBatch(const RowBlock& rows, ModelFamily family, std::vector<std::uint64_t> sampleIndices);

} // namespace trainyard
