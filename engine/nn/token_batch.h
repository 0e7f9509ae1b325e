#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace trainyard {

/// Where the tokens of one sequence lie, one behind the other.
struct SequencePlace {
    std::uint64_t sample = 0; ///< see TokenBatch::sampleIndices
    std::int64_t begin = 0;   ///< flat index of its first token that is here
    std::int64_t length = 0;  ///< tokens, those of padding included
    std::int64_t first = 0;   ///< position of that token in the sequence: tokens before may be on other ranks
};

/// One micro-batch: B sequences of S tokens, and what is to be predicted. Serves encoders and decoders alike;
/// optional tensors may be undefined. All are int64, but for the values of a regression, on the device that
/// computes with them.
///
/// A packed batch has no padding: its sequences lie one behind the other, each as long as it is, in T tokens.
/// What stands as [B, S] below is [T] then. A few tokens of filler, which nobody reads, may follow the last
/// one, so that a group of ranks can share the tokens evenly.
struct TokenBatch {
    at::Tensor inputIds;      ///< [B, S]
    at::Tensor tokenTypeIds;  ///< [B, S]; only read by models that have token types
    at::Tensor attentionMask; ///< optional [B, S], 1 = token, 0 = padding; undefined: all are tokens
    at::Tensor positionIds;   ///< optional [B, S]; undefined: 0 .. S-1 in every sequence

    /// What the token loss is about, in all sequences together: the outputs at these flat indices into the
    /// tokens predict `targets` [M]. The masked positions of a masked-language model; for a decoder the
    /// positions whose next token counts.
    at::Tensor targetPositions;
    at::Tensor targets; ///< [M] vocabulary ids
    /// targetPositions in host memory, so that nobody waits for a device to learn which targets are where;
    /// undefined where these are there themselves.
    at::Tensor hostTargetPositions;

    /// [B], 0 = the second sentence follows the first; only read by models with a next-sentence head. Of a
    /// task that judges sequences their classes [B], their values [B] as float64, or [B, 2] first and last
    /// position of the answer. [0] where the first tokens, which predict it, lie on another rank; shorter
    /// than B where the sequences at the end are filler.
    at::Tensor sequenceLabels;

    /// [B] index of each sequence in the order in which the run consumes samples; keys the dropout masks, so
    /// that a sequence is dropped the same way whatever rank and micro-batch it falls to.
    std::vector<std::uint64_t> sampleIndices;

    /// Packed batches only: tokens of each sequence [B], and S of the rows that they came from. The latter
    /// numbers the elements of attention dropout, so that a sequence is dropped the same way, packed or not.
    std::vector<std::int64_t> packedLengths;
    std::int64_t packedFrom = 0;
    /// Of a slice of a packed batch: tokens of the first sequence that lie before it, on other ranks.
    std::int64_t packedBefore = 0;

    bool isPacked() const { return !packedLengths.empty(); }
    std::int64_t sequences() const
    {
        return isPacked() ? static_cast<std::int64_t>(packedLengths.size()) : inputIds.size(0);
    }
    /// S: no sequence is longer.
    std::int64_t sequenceLength() const { return isPacked() ? packedFrom : inputIds.size(1); }
    std::int64_t tokens() const { return inputIds.numel(); } ///< T
    std::int64_t targetCount() const { return targets.numel(); }
    const at::Tensor& targetPositionsOnHost() const
    {
        return hostTargetPositions.defined() ? hostTargetPositions : targetPositions;
    }

    /// Without an attention mask that has no padding: attention need not add it to the scores then. Reads it,
    /// so the batch is in host memory.
    TokenBatch withoutIdleMask() const;
    /// In pinned memory of the host, from which a device copies while the host goes on.
    TokenBatch pinned() const;
    /// On `place`, from the host. The copy is done for whatever the calling thread gives the device
    /// afterwards; a batch in pinned memory must stay until then.
    TokenBatch on(const c10::Device& place) const;

    /// Of each sequence, and behind them of the filler, if there is any: together all tokens.
    std::vector<SequencePlace> places() const;
    /// Flat index of the first token of each sequence that begins here, [B] or fewer.
    at::Tensor firstTokens() const;
    /// Samples of those sequences.
    std::vector<std::uint64_t> samplesBegun() const;
};

} // namespace trainyard
