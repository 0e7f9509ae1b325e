#pragma once

#include <functional>

#include <torch/types.h>

namespace trainyard {

/// Decides when and how the parts of a model are computed: the seam for recomputation, offload of activations
/// and gathering of sharded weights, of which this folder knows nothing. This one computes at once.
///
/// `compute` is a pure function of its argument and the weights: it draws the same dropout masks every time,
/// keeps alive what it needs of the batch, and may be called again while the stage lives, e.g. in the
/// backward pass.
class LayerRunner {
public:
    using Part = std::function<at::Tensor(const at::Tensor&)>;

    virtual ~LayerRunner() = default;

    /// One part, numbered as ParameterSpec::part:
    ///     embeddings   undefined tensor -> hidden states [T, H]
    ///     a layer      hidden states -> hidden states
    ///     the head     hidden states -> loss sums, 1-D
    virtual at::Tensor run([[maybe_unused]] int part, const at::Tensor& input, const Part& compute)
    {
        return compute(input);
    }

    /// The core of a layer's attention, [T, 3 H] of queries, keys and values -> [T, H]: cheap to compute and
    /// big to keep, so the first thing to recompute. Called inside run() of the same layer.
    virtual at::Tensor runAttention([[maybe_unused]] int layer, const at::Tensor& queryKeyValue,
                                    const Part& compute)
    {
        return compute(queryKeyValue);
    }
};

/// A runner without state that computes at once; lives as long as the program.
LayerRunner& directRunner();

} // namespace trainyard
