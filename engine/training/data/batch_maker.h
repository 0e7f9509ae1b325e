#pragma once

#include <cstdint>
#include <vector>

#include "datasets/shards/row_block.h"
#include "engine/base/result.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// One micro-batch and its number of tokens.
struct MicroBatch {
    TokenBatch batch;
    std::int64_t tokens = 0; ///< not counting padding
};

/// How the micro-batches of a run are made of rows.
struct BatchForm {
    ModelFamily family = ModelFamily::Bert;
    bool packing = false;
    std::int64_t packingMultiple = 1; ///< see packingMultiple()
    bool pinned = false;              ///< batches lie in pinned memory, for a device to copy from

    static BatchForm of(const RunSpec& spec, bool pinned);
};

/// Converts rows to tensors. `sampleIndices` has one entry per row: its position in the run's order of
/// samples. The masked positions of a row end at the first 0 ([CLS] is never masked). An encoder gets the
/// masked rows and predicts the masked tokens; a decoder gets the original text and predicts every next
/// token. Rows of a task become what its head expects (TokenBatch::sequenceLabels, or targets where tokens
/// have labels); a decoder predicts the tokens of the completions alone.
MicroBatch makeMicroBatch(const RowBlock& rows, ModelFamily family, std::vector<std::uint64_t> sampleIndices);

/// The same in a run's form. BadInput when a row cannot be packed.
Result<MicroBatch> makeMicroBatch(const RowBlock& rows, const BatchForm& form,
                                  std::vector<std::uint64_t> sampleIndices);

} // namespace trainyard
