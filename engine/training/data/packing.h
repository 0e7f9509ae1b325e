#pragma once

#include <cstdint>
#include <vector>

#include "datasets/shards/row_block.h"
#include "engine/base/result.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Counts the tokens of each row; the rest is padding. BadInput when a row has padding between its tokens.
Result<std::vector<std::int64_t>> tokensPerRow(const RowBlock& rows);

/// Concatenates the sequences in order without their padding: the first `lengths[i]` tokens of row i.
/// Positions count from 0 in each sequence; targets move with their tokens, and may not be on padding. Filler
/// tokens at the end make the number of tokens a multiple of `multiple`. (Krell et al., arXiv:2107.02027,
/// pack sequences into rows of full length; here there are no rows.)
TokenBatch packed(const TokenBatch& batch, const std::vector<std::int64_t>& lengths, std::int64_t multiple);

/// Returns the number that the token count must be a multiple of in this layout.
std::int64_t packingMultiple(const ParallelLayout& layout);

} // namespace trainyard
