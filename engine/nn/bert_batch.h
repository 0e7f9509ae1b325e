#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace trainyard {

/// One micro-batch of masked-language-model and next-sentence instances. B sequences of S tokens, M masked
/// positions in all of them together. Integer tensors are int64 on the CPU.
struct BertBatch {
    at::Tensor inputIds;        ///< [B, S]
    at::Tensor tokenTypeIds;    ///< [B, S]
    at::Tensor attentionMask;   ///< [B, S], 1 = token, 0 = padding
    at::Tensor maskedPositions; ///< [M] flat indices into B * S; only real ones, padding entries left out
    at::Tensor maskedLabels;    ///< [M] vocabulary ids
    at::Tensor nspLabels;       ///< [B], 0 = the second sentence follows the first
    /// [B] index of each sequence in the order in which the run consumes samples; keys the dropout masks, so
    /// that a sequence is dropped the same way whatever rank and micro-batch it falls to.
    std::vector<std::uint64_t> sampleIndices;

    std::int64_t sequences() const { return inputIds.size(0); }
    std::int64_t sequenceLength() const { return inputIds.size(1); }
    std::int64_t maskedTokens() const { return maskedLabels.numel(); }
};

} // namespace trainyard
