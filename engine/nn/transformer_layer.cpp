#include "engine/nn/transformer_layer.h"

#include "engine/nn/activation.h"
#include "engine/nn/attention.h"
#include "engine/nn/model_family.h"

namespace trainyard {

namespace {

constexpr std::uint32_t kFirstSite = 1; // behind that of the embeddings
constexpr std::uint32_t kSitesPerLayer = 3;

enum Site : std::uint32_t { kAttentionSite, kAttentionOutputSite, kFeedForwardSite };

std::uint32_t siteOf(int layer, Site site)
{
    return kFirstSite + kSitesPerLayer * static_cast<std::uint32_t>(layer) + site;
}

} // namespace

TransformerLayer::TransformerLayer(const ModelSpec& model, int layer, const ParameterStore& parameters)
    : m_layer(layer)
{
    const LayerNames names = familyOf(model).layerNames(layer);
    const bool gated = model.activation == Activation::Swiglu;
    m_queryKeyValue = linearWeights(parameters, names.queryKeyValue[0]);
    m_attentionOutput = linearWeights(parameters, names.attentionOutput);
    m_attentionNorm = layerNormWeights(parameters, names.attentionNorm);
    m_feedForwardIn = linearWeights(parameters, gated ? names.feedForwardGate : names.feedForwardIn);
    m_feedForwardOut = linearWeights(parameters, names.feedForwardOut);
    m_feedForwardNorm = layerNormWeights(parameters, names.feedForwardNorm);
}

at::Tensor TransformerLayer::attend(const at::Tensor& input_TH, const SharedPass& pass) const
{
    const std::uint32_t site = siteOf(m_layer, kAttentionSite);
    const at::Tensor context_TH = pass->runner.runAttention(
        m_layer, columnLinear(input_TH, m_queryKeyValue, pass->parallel),
        [pass, site](const at::Tensor& queryKeyValue) { return attention(queryKeyValue, *pass, site); });
    return pass->dropTokens(rowLinear(context_TH, m_attentionOutput, pass->parallel), pass->model.dropout,
                            siteOf(m_layer, kAttentionOutputSite));
}

at::Tensor TransformerLayer::feedForward(const at::Tensor& input_TH, const ForwardPass& pass) const
{
    const at::Tensor inner_TI =
        activate(columnLinear(input_TH, m_feedForwardIn, pass.parallel), pass.model.activation);
    return pass.dropTokens(rowLinear(inner_TI, m_feedForwardOut, pass.parallel), pass.model.dropout,
                           siteOf(m_layer, kFeedForwardSite));
}

at::Tensor TransformerLayer::forward(const at::Tensor& hidden_TH, const SharedPass& pass) const
{
    const auto norm = [&](const at::Tensor& input, const LayerNormWeights& weights) {
        return layerNorm(input, weights, pass->model.layerNormEpsilon);
    };
    if (pass->model.norm == NormPlacement::Pre) {
        const at::Tensor middle_TH = hidden_TH + attend(norm(hidden_TH, m_attentionNorm), pass);
        return middle_TH + feedForward(norm(middle_TH, m_feedForwardNorm), *pass);
    }
    const at::Tensor middle_TH = norm(hidden_TH + attend(hidden_TH, pass), m_attentionNorm);
    return norm(middle_TH + feedForward(middle_TH, *pass), m_feedForwardNorm);
}

} // namespace trainyard
