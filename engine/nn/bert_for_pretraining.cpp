#include "engine/nn/bert_for_pretraining.h"

#include <limits>

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros_like.h>

#include "engine/nn/bert_layer.h"

namespace trainyard {

namespace {

constexpr std::uint32_t kEmbeddingSite = 0;
constexpr std::uint32_t kSitesPerLayer = 3;

std::uint32_t firstSiteOf(std::size_t layer)
{
    return kEmbeddingSite + 1 + kSitesPerLayer * static_cast<std::uint32_t>(layer);
}

// The most negative finite number at padding: the softmax gives it exactly no weight. Undefined where there
// is no padding, so that full batches skip the addition.
at::Tensor attentionBias(const at::Tensor& mask_BS, at::ScalarType type)
{
    const at::Tensor padding = mask_BS == 0;
    if (!padding.any().item<bool>())
        return {};
    const double lowest = type == at::kDouble ? std::numeric_limits<double>::lowest()
                          : type == at::kFloat
                              ? static_cast<double>(std::numeric_limits<float>::lowest())
                              : static_cast<double>(std::numeric_limits<at::BFloat16>::lowest());
    const at::Tensor bias =
        at::zeros_like(mask_BS, at::TensorOptions().dtype(type)).masked_fill_(padding, lowest);
    return bias.view({mask_BS.size(0), 1, 1, mask_BS.size(1)});
}

// Sum of cross entropies, in float32 at least.
at::Tensor crossEntropySum(const at::Tensor& logits, const at::Tensor& labels)
{
    const at::Tensor wide = logits.scalar_type() == at::kBFloat16 ? logits.to(at::kFloat) : logits;
    return at::cross_entropy_loss(wide, labels, {}, at::Reduction::Sum);
}

} // namespace

// Views of the leaves, looked up once.
struct BertForPreTraining::Weights {
    at::Tensor words;
    at::Tensor positions;
    at::Tensor tokenTypes;
    LayerNormWeights embeddingNorm;
    std::vector<BertLayerWeights> layers;
    LinearWeights pooler;
    LinearWeights transform;
    LayerNormWeights transformNorm;
    at::Tensor decoderBias;
    LinearWeights nextSentence;

    Weights(const ParameterStore& parameters, int layerCount)
        : words(parameters.leaf("bert.embeddings.word_embeddings.weight"))
        , positions(parameters.leaf("bert.embeddings.position_embeddings.weight"))
        , tokenTypes(parameters.leaf("bert.embeddings.token_type_embeddings.weight"))
        , embeddingNorm(layerNormWeights(parameters, "bert.embeddings.LayerNorm"))
        , pooler(linearWeights(parameters, "bert.pooler.dense"))
        , transform(linearWeights(parameters, "cls.predictions.transform.dense"))
        , transformNorm(layerNormWeights(parameters, "cls.predictions.transform.LayerNorm"))
        , decoderBias(parameters.leaf("cls.predictions.bias"))
        , nextSentence(linearWeights(parameters, "cls.seq_relationship"))
    {
        for (int layer = 0; layer < layerCount; ++layer)
            layers.emplace_back(parameters, layer);
    }

    at::Tensor embed(const BertBatch& batch, const BertPass& pass) const;
    at::Tensor encode(at::Tensor hidden_TH, const BertPass& pass) const;
    at::Tensor predictWords(const at::Tensor& hidden_TH, const BertBatch& batch, double epsilon) const;
    at::Tensor predictNextSentence(const at::Tensor& hidden_TH, const BertPass& pass) const;
};

at::Tensor BertForPreTraining::Weights::embed(const BertBatch& batch, const BertPass& pass) const
{
    const at::Tensor sum_BSH = at::embedding(words, batch.inputIds) +
                               at::embedding(tokenTypes, batch.tokenTypeIds) +
                               positions.narrow(0, 0, pass.sequenceLength);
    const at::Tensor normed =
        layerNorm(sum_BSH.view({-1, pass.model.hidden}), embeddingNorm, pass.model.layerNormEpsilon);
    return pass.drop(normed, pass.model.dropout, kEmbeddingSite);
}

at::Tensor BertForPreTraining::Weights::encode(at::Tensor hidden_TH, const BertPass& pass) const
{
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
        hidden_TH = bertLayer(hidden_TH, layers[layer], pass, firstSiteOf(layer));
    return hidden_TH;
}

at::Tensor BertForPreTraining::Weights::predictWords(const at::Tensor& hidden_TH, const BertBatch& batch,
                                                     double epsilon) const
{
    const at::Tensor masked_MH = hidden_TH.index_select(0, batch.maskedPositions);
    const at::Tensor transformed_MH =
        layerNorm(at::gelu(linear(masked_MH, transform)), transformNorm, epsilon);
    return at::linear(transformed_MH, words, decoderBias);
}

at::Tensor BertForPreTraining::Weights::predictNextSentence(const at::Tensor& hidden_TH,
                                                            const BertPass& pass) const
{
    const at::Tensor first_BH = hidden_TH.view({pass.sequences, pass.sequenceLength, -1}).select(1, 0);
    return linear(at::tanh(linear(first_BH, pooler)), nextSentence);
}

BertForPreTraining::BertForPreTraining(const ModelSpec& model, ComputeType compute, const Sharding& sharding,
                                       GradientResidence residence)
    : m_spec(model)
    , m_parameters(std::make_unique<ParameterStore>(bertParameters(model), compute, sharding, residence))
    , m_weights(std::make_unique<const Weights>(*m_parameters, model.layers))
{
}

BertForPreTraining::~BertForPreTraining() = default;
BertForPreTraining::BertForPreTraining(BertForPreTraining&&) noexcept = default;

BertLogits BertForPreTraining::logits(const BertBatch& batch, const std::optional<DropoutKey>& dropout) const
{
    const BertPass pass{m_spec,
                        batch.sequences(),
                        batch.sequenceLength(),
                        attentionBias(batch.attentionMask, computeScalarType(m_parameters->computeType())),
                        dropout,
                        batch.sampleIndices};
    const at::Tensor hidden_TH = m_weights->encode(m_weights->embed(batch, pass), pass);
    return {m_weights->predictWords(hidden_TH, batch, m_spec.layerNormEpsilon),
            m_weights->predictNextSentence(hidden_TH, pass)};
}

BertLosses BertForPreTraining::losses(const BertLogits& logits, const BertBatch& batch)
{
    return {crossEntropySum(logits.mlm, batch.maskedLabels), crossEntropySum(logits.nsp, batch.nspLabels),
            batch.maskedTokens(), batch.sequences()};
}

BertLosses BertForPreTraining::forward(const BertBatch& batch, const std::optional<DropoutKey>& dropout) const
{
    return losses(logits(batch, dropout), batch);
}

at::Tensor BertLosses::normalised(std::int64_t globalMaskedTokens, std::int64_t globalSequences) const
{
    return mlmLossSum / static_cast<double>(globalMaskedTokens) +
           nspLossSum / static_cast<double>(globalSequences);
}

} // namespace trainyard
