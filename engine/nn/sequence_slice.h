#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "engine/nn/parameters/slice_geometry.h"
#include "engine/nn/token_batch.h"

namespace trainyard {

/// Of every sequence of a batch the tokens that one rank has: all of them, or with context parallelism a
/// share. A plain value.
struct SequenceSlice {
    std::int64_t length = 0;           ///< of the whole sequences
    std::vector<IndexRange> positions; ///< in a sequence: ascending, none empty

    std::int64_t size() const; ///< tokens here
    bool isWhole() const { return size() == length; }
    bool hasFirst() const { return !positions.empty() && positions.front().begin == 0; }

    static SequenceSlice whole(std::int64_t length) { return {length, {{0, length}}}; }
    /// The share of one of `ranks` context-parallel ranks. Encoders: equal runs of neighbouring tokens. Under
    /// a causal mask late tokens see more than early ones; there the sequence is cut into 2 `ranks` chunks,
    /// of which a rank has one from the front and the one as far from the end, so that all have as much to
    /// compute (Llama 3, arXiv:2407.21783, section 3.3.2). Shares differ by one token at most.
    /// Requires length >= ranks: then each has a token.
    static SequenceSlice ofContextRank(std::int64_t length, int rank, int ranks, bool causal);
};

/// The slice of a batch that one of `ranks` context-parallel ranks has: of every sequence its share. Of a
/// packed batch an equal run of its tokens, as if they were one sequence: most sequences lie on one rank
/// then.
SequenceSlice sliceFor(const TokenBatch& batch, int rank, int ranks, bool causal);

/// Of a batch's targets, in order, the indices of those that stand in the slice; in host memory.
at::Tensor targetsIn(const TokenBatch& batch, const SequenceSlice& slice);

/// The slice of every sequence as a batch of shorter ones: targets are those that stand there, positions
/// those of the whole sequence, and labels of sequences belong to the slice with the first token. Of a packed
/// batch the sequences that lie there, the first and the last one maybe in part.
TokenBatch sliceOf(const TokenBatch& batch, const SequenceSlice& slice);

} // namespace trainyard
