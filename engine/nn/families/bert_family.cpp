#include <ATen/ops/tanh.h>

#include "engine/nn/activation.h"
#include "engine/nn/families/model_family.h"
#include "engine/nn/layers.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

constexpr const char* kPooler = "bert.pooler.dense";
constexpr const char* kTransform = "cls.predictions.transform.dense";
constexpr const char* kTransformNorm = "cls.predictions.transform.LayerNorm";
constexpr const char* kDecoderBias = "cls.predictions.bias";
constexpr const char* kNextSentence = "cls.seq_relationship";

// Both pre-training heads of Devlin et al. (arXiv:1810.04805); the masked-language-model head is computed at
// the masked positions only.
class BertHead : public ModelHead {
public:
    BertHead(const ModelSpec& model, const ParameterStore& parameters, const at::Tensor& decoder)
        : m_activation(model.activation)
        , m_epsilon(model.layerNormEpsilon)
        , m_transform(linearWeights(parameters, kTransform))
        , m_transformNorm(layerNormWeights(parameters, kTransformNorm))
        , m_decoder{decoder, parameters.leaf(kDecoderBias)}
    {
        if (!model.nextSentence)
            return;
        m_pooler = linearWeights(parameters, kPooler);
        m_nextSentence = linearWeights(parameters, kNextSentence);
    }

    Logits logits(const at::Tensor& hidden_TH, const ForwardPass& pass) const override
    {
        return {predictWords(hidden_TH, pass),
                m_nextSentence.weight.defined() ? predictNextSentence(hidden_TH, pass) : at::Tensor()};
    }

private:
    at::Tensor predictWords(const at::Tensor& hidden_TH, const ForwardPass& pass) const
    {
        const at::Tensor masked_MH = hidden_TH.index_select(0, pass.batch.targetPositions);
        const at::Tensor transformed_MH = layerNorm(
            activateUngated(linear(masked_MH, {m_transform.weight, {}}), m_transform.bias, m_activation),
            m_transformNorm, m_epsilon);
        return columnLinear(transformed_MH, m_decoder, pass.parallel.withWholeTokens());
    }

    // Of no sequence where their first tokens lie on another rank.
    at::Tensor predictNextSentence(const at::Tensor& hidden_TH, const ForwardPass& pass) const
    {
        const at::Tensor first_BH = hidden_TH.index_select(0, pass.batch.firstTokens())
                                        .narrow(0, 0, pass.slice.hasFirst() ? pass.batch.sequences() : 0);
        return linear(at::tanh(linear(first_BH, m_pooler)), m_nextSentence);
    }

    Activation m_activation;
    double m_epsilon;
    LinearWeights m_transform;
    LayerNormWeights m_transformNorm;
    LinearWeights m_decoder;
    LinearWeights m_pooler; // undefined without next-sentence head
    LinearWeights m_nextSentence;
};

class BertFamily : public ModelFamilyTraits {
public:
    bool isCausal() const override { return false; }

    EmbeddingNames embeddingNames() const override
    {
        return {"bert.embeddings.word_embeddings.weight", "bert.embeddings.position_embeddings.weight",
                "bert.embeddings.token_type_embeddings.weight", "bert.embeddings.LayerNorm"};
    }

    std::int64_t paddingWord() const override { return 0; } // [PAD]

    LayerNames layerNames(int layer) const override
    {
        const std::string prefix = "bert.encoder.layer." + std::to_string(layer);
        const std::string attention = prefix + ".attention.self.";
        return {{attention + "query", attention + "key", attention + "value"},
                prefix + ".attention.output.dense",
                prefix + ".attention.output.LayerNorm",
                prefix + ".intermediate.gate",
                prefix + ".intermediate.dense",
                prefix + ".output.dense",
                prefix + ".output.LayerNorm"};
    }

    HeadNames headNames() const override
    {
        return {"bert.encoder.LayerNorm", "cls.predictions.decoder.weight"};
    }

    double residualDeviationScale(const ModelSpec&) const override { return 1.0; }

    void addHead(ParameterList& list, const ModelSpec& model) const override
    {
        if (model.nextSentence)
            list.linear(kPooler, model.hidden, model.hidden);
        list.linear(kTransform, model.hidden, model.hidden);
        list.layerNorm(kTransformNorm, model.hidden);
        list.bias(kDecoderBias, model.vocabulary, TensorSplit{0});
        if (model.nextSentence)
            list.linear(kNextSentence, 2, model.hidden);
    }

    std::unique_ptr<const ModelHead> makeHead(const ModelSpec& model, const ParameterStore& parameters,
                                              const at::Tensor& decoder) const override
    {
        return std::make_unique<const BertHead>(model, parameters, decoder);
    }
};

} // namespace

const ModelFamilyTraits& bertFamily()
{
    static const BertFamily family;
    return family;
}

} // namespace trainyard
