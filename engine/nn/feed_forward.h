#pragma once

#include "engine/nn/forward_pass.h"
#include "engine/nn/layers.h"
#include "engine/nn/low_rank_adapters.h"

namespace trainyard {

struct LayerNames;

/// activation(x W^T + b) V^T + c of a layer, with a gate as Activation says. Under tensor parallelism of this
/// rank's slices.
class FeedForward {
public:
    FeedForward(const ModelSpec& model, int layer, const LayerNames& names, const ParameterStore& parameters);

    /// Of hidden states [T, H]. `next`: what takes the result.
    Product forward(const at::Tensor& input_TH, NextPass next, const ForwardPass& pass) const;

private:
    LinearWeights m_in; ///< [I, H]; with a gate [2 I, H], the gate first
    LinearWeights m_out;
    LowRankAdapters m_inAdapters; ///< without model.lora there are none
    LowRankAdapters m_outAdapters;
};

} // namespace trainyard
