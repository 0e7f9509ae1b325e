#include "engine/nn/transformer_layer.h"

#include "engine/model/model_family.h"
#include "engine/nn/activation.h"
#include "engine/nn/add_norm.h"
#include "engine/nn/attention.h"

namespace trainyard {

namespace {

constexpr std::uint32_t kFirstSite = 1; // behind that of the embeddings
constexpr std::uint32_t kSitesPerLayer = 3;

enum Site : std::uint32_t { kAttentionSite, kAttentionOutputSite, kFeedForwardSite };

std::uint32_t siteOf(int layer, Site site)
{
    return kFirstSite + kSitesPerLayer * static_cast<std::uint32_t>(layer) + site;
}

NextPass behindOutput(const ModelSpec& model)
{
    return model.norm == NormPlacement::Post ? NextPass::Norm : NextPass::Other;
}

NextPass behindFeedForwardIn(const ModelSpec& model)
{
    return model.activation == Activation::Swiglu ? NextPass::Other : NextPass::Activation;
}

std::vector<std::string> feedForwardInputs(const LayerNames& names, const ModelSpec& model)
{
    if (model.activation == Activation::Swiglu)
        return {names.feedForwardGate, names.feedForwardIn};
    return {names.feedForwardIn};
}

} // namespace

TransformerLayer::TransformerLayer(const ModelSpec& model, int layer, const ParameterStore& parameters)
    : TransformerLayer(model, layer, familyOf(model).layerNames(layer), parameters)
{
}

TransformerLayer::TransformerLayer(const ModelSpec& model, int layer, const LayerNames& names,
                                   const ParameterStore& parameters)
    : m_layer(layer)
    , m_queryKeyValueAdapters(model, layer, {names.queryKeyValue.begin(), names.queryKeyValue.end()},
                              parameters)
    , m_attentionOutputAdapters(model, layer, {names.attentionOutput}, parameters)
    , m_feedForwardInAdapters(model, layer, feedForwardInputs(names, model), parameters)
    , m_feedForwardOutAdapters(model, layer, {names.feedForwardOut}, parameters)
{
    const bool gated = model.activation == Activation::Swiglu;
    m_queryKeyValue = linearWeights(parameters, names.queryKeyValue[0]);
    m_attentionOutput = linearWeights(parameters, names.attentionOutput);
    m_attentionNorm = layerNormWeights(parameters, names.attentionNorm);
    m_feedForwardIn = linearWeights(parameters, gated ? names.feedForwardGate : names.feedForwardIn);
    m_feedForwardOut = linearWeights(parameters, names.feedForwardOut);
    m_feedForwardNorm = layerNormWeights(parameters, names.feedForwardNorm);
}

Product TransformerLayer::attend(const at::Tensor& input_TH, const SharedPass& pass) const
{
    const std::uint32_t site = siteOf(m_layer, kAttentionSite);
    const auto core = [pass, site, layer = m_layer](const at::Tensor& queryKeyValue) {
        return pass->cache ? cachedAttention(queryKeyValue, *pass, layer)
                           : attention(queryKeyValue, *pass, site);
    };
    const at::Tensor queryKeyValue_T3H = m_queryKeyValueAdapters.addToColumns(
        columnLinear(input_TH, m_queryKeyValue, pass->parallel, pass->compute()), input_TH, *pass);
    const at::Tensor context_TH = pass->runner.runAttention(m_layer, queryKeyValue_T3H, core);
    Product output_TH =
        rowProduct(context_TH, m_attentionOutput, behindOutput(pass->model), pass->parallel, pass->compute());
    output_TH.values = m_attentionOutputAdapters.addToRows(output_TH.values, context_TH, *pass);
    return output_TH;
}

Product TransformerLayer::feedForward(const at::Tensor& input_TH, const ForwardPass& pass) const
{
    Product product_TI = columnProduct(input_TH, m_feedForwardIn, behindFeedForwardIn(pass.model),
                                       pass.parallel, pass.compute());
    product_TI.values = m_feedForwardInAdapters.addToColumns(product_TI.values, input_TH, pass);
    const at::Tensor inner_TI = activate(product_TI, pass.model.activation, pass.compute());
    Product output_TH =
        rowProduct(inner_TI, m_feedForwardOut, behindOutput(pass.model), pass.parallel, pass.compute());
    output_TH.values = m_feedForwardOutAdapters.addToRows(output_TH.values, inner_TI, pass);
    return output_TH;
}

at::Tensor TransformerLayer::forward(const at::Tensor& hidden_TH, const SharedPass& pass) const
{
    const ModelSpec& model = pass->model;
    const Compute& compute = pass->compute();
    const double epsilon = model.layerNormEpsilon;
    const std::uint32_t attentionSite = siteOf(m_layer, kAttentionOutputSite);
    const std::uint32_t feedForwardSite = siteOf(m_layer, kFeedForwardSite);
    if (model.norm == NormPlacement::Pre) {
        const auto dropped = [&](const Product& product, std::uint32_t site) {
            return pass->dropTokens(product.withBias(), model.dropout, site);
        };
        const Product attended_TH = attend(layerNorm(hidden_TH, m_attentionNorm, epsilon, compute), pass);
        const at::Tensor middle_TH = hidden_TH + dropped(attended_TH, attentionSite);
        const Product fed_TH = feedForward(layerNorm(middle_TH, m_feedForwardNorm, epsilon, compute), *pass);
        return middle_TH + dropped(fed_TH, feedForwardSite);
    }
    const auto addAndNorm = [&](const Product& product, std::uint32_t site, const at::Tensor& residual,
                                const LayerNormWeights& norm) {
        return addNorm(product.values, product.bias, residual, norm, epsilon, compute,
                       pass->tokenDropout(model.dropout, site));
    };
    const at::Tensor middle_TH =
        addAndNorm(attend(hidden_TH, pass), attentionSite, hidden_TH, m_attentionNorm);
    return addAndNorm(feedForward(middle_TH, *pass), feedForwardSite, middle_TH, m_feedForwardNorm);
}

} // namespace trainyard
