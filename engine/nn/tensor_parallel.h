#pragma once

#include <cstdint>

#include <torch/types.h>

#include "engine/nn/parameters/slice_geometry.h"

namespace trainyard {

class ProcessGroup;

/// This rank's place among the ranks that share the tensors of each layer (Shoeybi et al., arXiv:1909.08053).
/// With `sequence` the parts between the cut products are shared as well: each rank holds an equal slice of
/// the tokens there (Korthikanti et al., arXiv:2205.05198). A plain value; the group outlives it.
struct TensorParallel {
    ProcessGroup* group = nullptr; ///< null: one rank
    bool sequence = false;

    int rank() const;
    int ranks() const;
    bool isOn() const { return group != nullptr; }
    bool slicesTokens() const { return isOn() && sequence; }
    /// The same where every rank has all tokens.
    TensorParallel withWholeTokens() const { return {group, false}; }
    /// Of `tokens` the ones that lie on this rank between the cut products. Requires that ranks() divides
    /// `tokens` when slicesTokens().
    IndexRange tokensHere(std::int64_t tokens) const;
};

// Differentiable operators on [T, ...] or, where the tokens are sliced, [T / ranks, ...]. Every rank of the
// group calls the same ones in the same order, forward and backward. All return their input where there is
// one rank. Sums run in float32 at least.

/// Before a product whose weights are cut by rows: the input of every rank is the same [T, H] afterwards. Its
/// gradient is the sum over the ranks. Sliced tokens are gathered, and the gradient goes back to the slices.
at::Tensor enterCut(const at::Tensor& input, const TensorParallel& parallel);

/// After a product whose weights are cut by columns: the sum over the ranks, of all tokens or of this rank's
/// slice.
at::Tensor leaveCut(const at::Tensor& partial, const TensorParallel& parallel);

/// All tokens on every rank, for a part that every rank computes whole: the gradient of each slice is that
/// which its rank computed.
at::Tensor gatherTokens(const at::Tensor& slice, const TensorParallel& parallel);

/// Replaces `values` (float32 or float64, contiguous) by the sum or maximum over the ranks, outside of any
/// graph.
void reduceInPlace(at::Tensor& values, const TensorParallel& parallel, bool maximum = false);

} // namespace trainyard
