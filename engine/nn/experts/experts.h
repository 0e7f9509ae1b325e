#pragma once

#include <span>

#include "engine/nn/forward_pass.h"
#include "engine/nn/layers.h"

namespace trainyard {

struct LayerNames;

/// A mixture of experts in place of a layer's feed-forward: the sum of the feed-forwards of the experts that
/// a router chooses for each token (Shazeer et al., arXiv:1701.06538), times their weights. No token is
/// dropped. Under tensor parallelism every rank has its slice of each expert; under expert parallelism it has
/// some experts, and computes what all ranks send these.
class Experts {
public:
    Experts(int layer, const LayerNames& names, const ParameterStore& parameters);

    /// Of hidden states [T, H], or this rank's slice of them.
    at::Tensor forward(const at::Tensor& input_TH, const ForwardPass& pass) const;

private:
    /// Of rows [N, H], those of the first expert here first.
    at::Tensor compute(const at::Tensor& inputs, std::span<const std::int64_t> counts,
                       const ForwardPass& pass) const;

    int m_layer;
    LinearWeights m_router; ///< [E, H]
    at::Tensor m_in;        ///< [E * 2 I, H] of the experts here: of each the gate first
    at::Tensor m_out;       ///< [E * H, I]
};

} // namespace trainyard
