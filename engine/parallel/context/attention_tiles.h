#pragma once

#include <vector>

#include "engine/nn/context_parallel.h"
#include "engine/nn/sequence_slice.h"

namespace trainyard {

// Shape legend of this folder: B sequences, A heads of this rank, D = width of a head, L = tokens of a rank,
// Q queries and K keys of a tile. Sums and exponentials are float32, with float64 inputs float64: "wide".

/// Neighbouring tokens of a rank's slice.
struct TokenRun {
    std::int64_t first = 0; ///< among the rank's tokens
    IndexRange positions;   ///< in the sequence

    std::int64_t size() const { return positions.size(); }
    /// These tokens of a tensor [B, A, L, D] or [B, A, L, 1]. A view.
    at::Tensor of(const at::Tensor& values_BALD) const { return values_BALD.narrow(2, first, size()); }
};

/// The slice cut into runs that make tiles of a bounded size, in order.
std::vector<TokenRun> runsOf(const SequenceSlice& slice);

/// Some queries and some keys of a sequence.
struct AttentionTile {
    TokenRun queries;
    TokenRun keys;
};

/// All pairs of runs with a query that sees a key.
std::vector<AttentionTile> tilesOf(const std::vector<TokenRun>& queries, const std::vector<TokenRun>& keys,
                                   const SharedAttention& attention);

/// Q K^T [B, A, Q, K], wide; the most negative finite number where a query does not see a key. Arguments are
/// those of the tile.
at::Tensor scoresOf(const at::Tensor& query_BAQD, const at::Tensor& key_BAKD, const AttentionTile& tile,
                    const SharedAttention& attention);

/// What dropout multiplies the tile's probabilities with, [B, A, Q, K]: the same elements of the same mask as
/// attention over whole sequences draws. Undefined where nothing is dropped.
at::Tensor dropoutFactors(const AttentionTile& tile, std::int64_t heads, const at::TensorOptions& options,
                          const SharedAttention& attention);

at::ScalarType wideType(at::ScalarType type);
/// The most negative finite number of a wide type.
double lowestOf(at::ScalarType wide);

} // namespace trainyard
