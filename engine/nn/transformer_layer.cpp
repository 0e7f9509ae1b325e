#include "engine/nn/transformer_layer.h"

#include "engine/model/model_family.h"
#include "engine/nn/add_norm.h"
#include "engine/nn/attention.h"
#include "engine/nn/query_key_norm.h"

namespace trainyard {

namespace {

constexpr std::uint32_t kFirstSite = 1; // behind that of the embeddings
constexpr std::uint32_t kSitesPerLayer = 3;

enum Site : std::uint32_t { kAttentionSite, kAttentionOutputSite, kFeedForwardSite };

std::uint32_t siteOf(int layer, Site site)
{
    return kFirstSite + kSitesPerLayer * static_cast<std::uint32_t>(layer) + site;
}

/// One pass adds and normalises.
bool fusesNorm(const ModelSpec& model)
{
    return model.norm == NormPlacement::Post && model.normKind == NormKind::LayerNorm;
}

NextPass behindOutput(const ModelSpec& model)
{
    return fusesNorm(model) ? NextPass::Norm : NextPass::Other;
}

std::variant<FeedForward, Experts> makeFeedForward(const ModelSpec& model, int layer, const LayerNames& names,
                                                   const ParameterStore& parameters)
{
    if (model.hasExperts(layer))
        return Experts(layer, names, parameters);
    return FeedForward(model, layer, names, parameters);
}

at::Tensor normed(const at::Tensor& input_TH, const NormWeights& weights, const ForwardPass& pass)
{
    if (!weights.weight.defined())
        return input_TH;
    return norm(input_TH, weights, pass.model.layerNormEpsilon, pass.compute());
}

} // namespace

TransformerLayer::TransformerLayer(const ModelSpec& model, int layer, const ParameterStore& parameters)
    : TransformerLayer(model, layer, layerNames(model, layer), parameters)
{
}

TransformerLayer::TransformerLayer(const ModelSpec& model, int layer, const LayerNames& names,
                                   const ParameterStore& parameters)
    : m_layer(layer)
    , m_queryKeyValue(linearWeights(parameters, names.queryKeyValue[0]))
    , m_attentionOutput(linearWeights(parameters, names.attentionOutput))
    , m_attentionNorms(normsOf(names.attentionNorms, model, parameters))
    , m_feedForward(makeFeedForward(model, layer, names, parameters))
    , m_feedForwardNorms(normsOf(names.feedForwardNorms, model, parameters))
    , m_queryKeyValueAdapters(model, layer, {names.queryKeyValue.begin(), names.queryKeyValue.end()},
                              parameters)
    , m_attentionOutputAdapters(model, layer, {names.attentionOutput}, parameters)
{
    if (model.queryKeyNorm == QueryKeyNorm::None)
        return;
    m_queryNorm = normWeights(parameters, names.queryNorm, model);
    m_keyNorm = normWeights(parameters, names.keyNorm, model);
}

TransformerLayer::Norms TransformerLayer::normsOf(const BranchNorms& names, const ModelSpec& model,
                                                  const ParameterStore& parameters)
{
    const auto of = [&](const std::string& name) {
        return name.empty() ? NormWeights() : normWeights(parameters, name, model);
    };
    return {of(names.before), of(names.behind)};
}

Product TransformerLayer::attend(const at::Tensor& input_TH, const SharedPass& pass) const
{
    const std::uint32_t site = siteOf(m_layer, kAttentionSite);
    const auto core = [pass, site, layer = m_layer](const at::Tensor& queryKeyValue) {
        return pass->cache ? cachedAttention(queryKeyValue, *pass, layer)
                           : attention(queryKeyValue, *pass, layer, site);
    };
    at::Tensor queryKeyValue_TW = m_queryKeyValueAdapters.addToColumns(
        columnLinear(input_TH, m_queryKeyValue, pass->parallel, pass->compute()), input_TH, *pass);
    if (m_queryNorm.weight.defined())
        queryKeyValue_TW = normQueriesAndKeys(queryKeyValue_TW, m_queryNorm, m_keyNorm, *pass);
    const at::Tensor context_TH = pass->runner.runAttention(m_layer, queryKeyValue_TW, core);
    Product output_TH =
        rowProduct(context_TH, m_attentionOutput, behindOutput(pass->model), pass->parallel, pass->compute());
    output_TH.values = m_attentionOutputAdapters.addToRows(output_TH.values, context_TH, *pass);
    return output_TH;
}

Product TransformerLayer::feed(const at::Tensor& input_TH, const ForwardPass& pass) const
{
    if (const auto* experts = std::get_if<Experts>(&m_feedForward))
        return {experts->forward(input_TH, pass), {}};
    return std::get<FeedForward>(m_feedForward).forward(input_TH, behindOutput(pass.model), pass);
}

at::Tensor TransformerLayer::sum(const at::Tensor& residual_TH, const Product& branch, const Norms& norms,
                                 std::uint32_t site, const ForwardPass& pass) const
{
    const ModelSpec& model = pass.model;
    if (fusesNorm(model))
        return addNorm(branch.values, branch.bias, residual_TH, norms.behind, model.layerNormEpsilon,
                       pass.compute(), pass.tokenDropout(model.dropout, site));
    const auto dropped = [&](const at::Tensor& output_TH) {
        return pass.dropTokens(output_TH, model.dropout, site);
    };
    if (model.norm == NormPlacement::Post)
        return normed(residual_TH + dropped(branch.withBias()), norms.behind, pass);
    return residual_TH + dropped(normed(branch.withBias(), norms.behind, pass));
}

at::Tensor TransformerLayer::forward(const at::Tensor& hidden_TH, const SharedPass& pass) const
{
    const Product attended_TH = attend(normed(hidden_TH, m_attentionNorms.before, *pass), pass);
    const at::Tensor middle_TH =
        sum(hidden_TH, attended_TH, m_attentionNorms, siteOf(m_layer, kAttentionOutputSite), *pass);
    const at::Tensor& input_TH = pass->model.parallelResidual ? hidden_TH : middle_TH;
    const Product fed_TH = feed(normed(input_TH, m_feedForwardNorms.before, *pass), *pass);
    return sum(middle_TH, fed_TH, m_feedForwardNorms, siteOf(m_layer, kFeedForwardSite), *pass);
}

} // namespace trainyard
