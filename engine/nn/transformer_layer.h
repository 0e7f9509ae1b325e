#pragma once

#include "engine/nn/forward_pass.h"
#include "engine/nn/layers.h"
#include "engine/nn/low_rank_adapters.h"

namespace trainyard {

struct LayerNames;

/// One layer on hidden states [T, H], of an encoder or a decoder. With post layer norm
///     a = LayerNorm(x + drop(attention(x))),      y = LayerNorm(a + drop(feedForward(a)))
/// and with pre layer norm
///     a = x + drop(attention(LayerNorm(x))),      y = a + drop(feedForward(LayerNorm(a)))
/// Layer l of the model (not of the stage) uses the dropout sites 1 + 3 l .. 3 + 3 l.
class TransformerLayer {
public:
    TransformerLayer(const ModelSpec& model, int layer, const ParameterStore& parameters);

    at::Tensor forward(const at::Tensor& hidden_TH, const SharedPass& pass) const;
    int index() const { return m_layer; }

private:
    TransformerLayer(const ModelSpec& model, int layer, const LayerNames& names,
                     const ParameterStore& parameters);

    Product attend(const at::Tensor& input_TH, const SharedPass& pass) const;
    Product feedForward(const at::Tensor& input_TH, const ForwardPass& pass) const;

    int m_layer;
    // Under tensor parallelism this rank's slices.
    LinearWeights m_queryKeyValue; ///< [3 H, H]: rows of query, key, value
    LinearWeights m_attentionOutput;
    LayerNormWeights m_attentionNorm;
    LinearWeights m_feedForwardIn; ///< [I, H]; with a gate [2 I, H], the gate first
    LinearWeights m_feedForwardOut;
    LayerNormWeights m_feedForwardNorm;
    // Of the products above; without model.lora there are none.
    LowRankAdapters m_queryKeyValueAdapters;
    LowRankAdapters m_attentionOutputAdapters;
    LowRankAdapters m_feedForwardInAdapters;
    LowRankAdapters m_feedForwardOutAdapters;
};

} // namespace trainyard
