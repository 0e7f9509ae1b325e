#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <torch/types.h>

#include "engine/nn/device.h"
#include "engine/nn/dropout.h"
#include "engine/nn/token_batch.h"

namespace trainyard {

class Compute;

/// What attention over shared sequences does beside its products. A plain value that backward passes keep.
struct SharedAttention {
    std::int64_t length = 0; ///< of the whole sequences
    bool causal = false;     ///< a query sees no key behind it
    at::Tensor padding;      ///< [B, length], true at keys that no query sees; undefined: there are none

    double dropout = 0;                   ///< share of the probabilities
    std::optional<DropoutKey> dropoutKey; ///< nothing is dropped without one
    const Compute* compute = &processorCompute();
    std::uint32_t site = 0;
    std::vector<std::uint64_t> sampleIndices; ///< [B]
    std::int64_t firstHead = 0;               ///< of the model's heads, the first one here

    /// Of a packed batch, which is one sequence of all its tokens here (B = 1): where the sequences in it
    /// lie, with what fills it up, and the length of the rows that they came from. A query sees keys of its
    /// own one alone.
    std::vector<SequencePlace> packed{};
    std::int64_t packedFrom = 0;

    bool isPacked() const { return !packed.empty(); }
};

/// The ranks that share the tokens of every sequence, and attention among them: the seam for
/// engine/parallel/context. Every rank has the slice SequenceSlice::ofContextRank() of every sequence; all of
/// a model but attention computes on that alone.
class ContextParallel {
public:
    virtual ~ContextParallel() = default;

    virtual int rank() const = 0;
    virtual int ranks() const = 0;

    /// softmax(Q K^T) V of this rank's queries and the keys and values of all ranks: [B, A, L, D] of the L
    /// tokens here, queries scaled already -> [B L, A D]. Differentiable; every rank makes the same calls in
    /// the same order, forward and backward. Every query sees at least one key.
    virtual at::Tensor attend(const at::Tensor& query_BALD, const at::Tensor& key_BALD,
                              const at::Tensor& value_BALD, const SharedAttention& attention) const = 0;
};

} // namespace trainyard
