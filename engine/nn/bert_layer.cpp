#include "engine/nn/bert_layer.h"

#include <cmath>

#include <ATen/ops/add.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include "engine/nn/parameter_store.h"

namespace trainyard {

namespace {

std::string layerName(int layer)
{
    return "bert.encoder.layer." + std::to_string(layer);
}

// Matrix products and a plain softmax: on the CPU and at these lengths several times faster than ATen's
// scaled_dot_product_attention.
at::Tensor attention(const at::Tensor& hidden_TH, const BertLayerWeights& weights, const BertPass& pass,
                     std::uint32_t site)
{
    const std::int64_t heads = pass.model.heads;
    const std::int64_t width = pass.model.hidden / heads;
    const auto parts = linear(hidden_TH, weights.queryKeyValue)
                           .view({pass.sequences, pass.sequenceLength, 3, heads, width})
                           .permute({2, 0, 3, 1, 4})
                           .unbind(0); // each [B, A, S, D]
    const at::Tensor query_BASD = parts[0] * (1.0 / std::sqrt(static_cast<double>(width)));
    at::Tensor scores_BASS = at::matmul(query_BASD, parts[1].transpose(-1, -2));
    if (pass.attentionBias.defined())
        scores_BASS = scores_BASS + pass.attentionBias;
    const at::Tensor probabilities_BASS =
        pass.drop(at::softmax(scores_BASS, -1), pass.model.attentionDropout, site);
    return at::matmul(probabilities_BASS, parts[2]).transpose(1, 2).reshape({-1, pass.model.hidden});
}

at::Tensor feedForward(const at::Tensor& hidden_TH, const BertLayerWeights& weights)
{
    return linear(at::gelu(linear(hidden_TH, weights.intermediate)), weights.output);
}

} // namespace

BertLayerWeights::BertLayerWeights(const ParameterStore& parameters, int layer)
    : queryKeyValue{parameters.leaf(layerName(layer) + ".attention.self.query.weight"),
                    parameters.leaf(layerName(layer) + ".attention.self.query.bias")}
    , attentionOutput(linearWeights(parameters, layerName(layer) + ".attention.output.dense"))
    , attentionNorm(layerNormWeights(parameters, layerName(layer) + ".attention.output.LayerNorm"))
    , intermediate(linearWeights(parameters, layerName(layer) + ".intermediate.dense"))
    , output(linearWeights(parameters, layerName(layer) + ".output.dense"))
    , outputNorm(layerNormWeights(parameters, layerName(layer) + ".output.LayerNorm"))
{
}

at::Tensor BertPass::drop(const at::Tensor& input, double probability, std::uint32_t site) const
{
    if (!dropoutKey)
        return input;
    const at::Tensor bySample = input.view({sequences, -1});
    return dropout(bySample, probability, *dropoutKey, site, sampleIndices).view(input.sizes());
}

at::Tensor bertLayer(const at::Tensor& hidden_TH, const BertLayerWeights& weights, const BertPass& pass,
                     std::uint32_t firstSite)
{
    const double epsilon = pass.model.layerNormEpsilon;
    const at::Tensor attended_TH =
        pass.drop(linear(attention(hidden_TH, weights, pass, firstSite), weights.attentionOutput),
                  pass.model.dropout, firstSite + 1);
    const at::Tensor middle_TH = layerNorm(hidden_TH + attended_TH, weights.attentionNorm, epsilon);
    const at::Tensor fed_TH = pass.drop(feedForward(middle_TH, weights), pass.model.dropout, firstSite + 2);
    return layerNorm(middle_TH + fed_TH, weights.outputNorm, epsilon);
}

} // namespace trainyard
