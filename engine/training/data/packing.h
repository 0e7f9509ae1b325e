#pragma once

#include <cstdint>
#include <vector>

#include "datasets/shards/row_block.h"
#include "engine/base/result.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Tokens of each row; what follows them is padding. BadInput when a row has padding between its tokens.
Result<std::vector<std::int64_t>> tokensPerRow(const RowBlock& rows);

/// The same sequences without their padding, one behind the other in the same order, with `lengths` tokens at
/// the beginning of each of their rows. Positions count from 0 in each; targets move with their tokens, and
/// must lie on them. Tokens of filler make the number of tokens a multiple of `multiple`.
/// (Krell et al., arXiv:2107.02027, pack sequences into rows of full length; here there are no rows.)
TokenBatch packed(const TokenBatch& batch, const std::vector<std::int64_t>& lengths, std::int64_t multiple);

/// What the number of tokens must be a multiple of in this layout.
std::int64_t packingMultiple(const ParallelLayout& layout);

} // namespace trainyard
