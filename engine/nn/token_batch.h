#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace trainyard {

/// One micro-batch: B sequences of S tokens, and what is to be predicted. Serves encoders and decoders alike;
/// optional tensors may be undefined. All are int64 on the CPU.
struct TokenBatch {
    at::Tensor inputIds;      ///< [B, S]
    at::Tensor tokenTypeIds;  ///< [B, S]; only read by models that have token types
    at::Tensor attentionMask; ///< optional [B, S], 1 = token, 0 = padding; undefined: all are tokens
    at::Tensor positionIds;   ///< optional [B, S]; undefined: 0 .. S-1 in every sequence

    /// What the token loss is about, in all sequences together: the outputs at these flat indices into B * S
    /// predict `targets` [M]. The masked positions of a masked-language model; for a decoder the positions
    /// whose next token counts.
    at::Tensor targetPositions;
    at::Tensor targets; ///< [M] vocabulary ids

    /// [B], 0 = the second sentence follows the first; only read by models with a next-sentence head.
    at::Tensor sequenceLabels;

    /// [B] index of each sequence in the order in which the run consumes samples; keys the dropout masks, so
    /// that a sequence is dropped the same way whatever rank and micro-batch it falls to.
    std::vector<std::uint64_t> sampleIndices;

    std::int64_t sequences() const { return inputIds.size(0); }
    std::int64_t sequenceLength() const { return inputIds.size(1); }
    std::int64_t targetCount() const { return targets.numel(); }
};

} // namespace trainyard
