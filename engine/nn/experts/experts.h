#pragma once

#include "engine/nn/forward_pass.h"
#include "engine/nn/layers.h"

namespace trainyard {

struct LayerNames;

/// A mixture of experts in place of a layer's feed-forward: the sum of the feed-forwards of the experts that
/// a router chooses for each token (Shazeer et al., arXiv:1701.06538), times their weights. No token is
/// dropped. Under tensor parallelism every rank has its slice of each expert.
class Experts {
public:
    Experts(const LayerNames& names, const ParameterStore& parameters);

    /// Of hidden states [T, H], or this rank's slice of them.
    at::Tensor forward(const at::Tensor& input_TH, const ForwardPass& pass) const;

private:
    LinearWeights m_router; ///< [E, H]
    at::Tensor m_in;        ///< [E * 2 I, H]: of each expert the gate first
    at::Tensor m_out;       ///< [E * H, I]
};

} // namespace trainyard
