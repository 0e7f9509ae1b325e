#pragma once

#include <optional>
#include <span>
#include <string>

#include <torch/types.h>

#include "engine/nn/dropout.h"
#include "engine/nn/layers.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

// Shape legend: T = B * S tokens of B sequences, H = hidden, A = heads, D = H / A.

struct BertLayerWeights {
    LinearWeights queryKeyValue; ///< [3H, H]: rows of query, key, value
    LinearWeights attentionOutput;
    LayerNormWeights attentionNorm;
    LinearWeights intermediate;
    LinearWeights output;
    LayerNormWeights outputNorm;

    BertLayerWeights(const ParameterStore& parameters, int layer);
};

/// What all layers of one forward pass share.
struct BertPass {
    const ModelSpec& model;
    std::int64_t sequences;      ///< B
    std::int64_t sequenceLength; ///< S
    at::Tensor
        attentionBias; ///< [B, 1, 1, S] added to scores: 0, or very negative at padding; undefined: none
    std::optional<DropoutKey> dropoutKey;
    std::span<const std::uint64_t> sampleIndices;

    at::Tensor drop(const at::Tensor& input, double probability, std::uint32_t site) const;
};

/// One encoder layer on hidden states [T, H], post layer norm:
///     a = LayerNorm(x + drop(attention(x))),  y = LayerNorm(a + drop(W2 gelu(W1 a)))
/// Uses the dropout sites firstSite .. firstSite + 2.
at::Tensor bertLayer(const at::Tensor& hidden_TH, const BertLayerWeights& weights, const BertPass& pass,
                     std::uint32_t firstSite);

} // namespace trainyard
