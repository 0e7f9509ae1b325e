#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/types.h>

#include "engine/nn/forward_pass.h"

namespace trainyard {

class ParameterStore;

/// The low-rank adapters of one product of a layer, or of the products whose rows are stacked in one matrix
/// (Hu et al., arXiv:2106.09685, section 4.1). In the output columns of each adapted product
///     y = W x + b + alpha / rank * B A drop(x)
/// with W and b frozen, A [rank, in] and B [out, rank]. Each adapter drops other elements of x.
///
/// Of a product whose outputs tensor-parallel ranks share, each has A whole and its rows of B; of one whose
/// inputs they share, each has its columns of A and B whole. What goes from rank to rank is [T, rank].
class LowRankAdapters {
public:
    /// `products`: in the order of their rows in the matrix; those that have no adapter, or no name, count
    /// alone. `layer`: of the model. Leaves of `parameters`.
    LowRankAdapters(const ModelSpec& model, int layer, const std::vector<std::string>& products,
                    const ParameterStore& parameters);

    /// Adds to the outputs [T, out] of a product of `input`; in place. Of the columns that are here, before
    /// enterCut() and behind it.
    at::Tensor addToColumns(const at::Tensor& output, const at::Tensor& input, const ForwardPass& pass) const;
    /// The same of a product whose inputs are cut: `input` before it, `output` behind leaveCut().
    at::Tensor addToRows(const at::Tensor& output, const at::Tensor& input, const ForwardPass& pass) const;

private:
    struct Adapter {
        at::Tensor down;              ///< A
        at::Tensor up;                ///< B
        std::int64_t firstColumn = 0; ///< of the product's outputs, here
        std::int64_t width = 0;       ///< inputs of the whole product
        std::uint64_t number = 0;     ///< among those of a layer
    };
    at::Tensor dropped(const Adapter& adapter, const at::Tensor& input, IndexRange tokens,
                       const ForwardPass& pass) const;

    int m_layer;
    double m_scale;
    double m_dropout;
    std::vector<Adapter> m_adapters;
};

} // namespace trainyard
