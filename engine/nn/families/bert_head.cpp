#include <ATen/ops/tanh.h>

#include "engine/model/bert_head_names.h"
#include "engine/nn/activation.h"
#include "engine/nn/families/model_head.h"
#include "engine/nn/layers.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

// Both pre-training heads of Devlin et al. (arXiv:1810.04805); the masked-language-model head is computed at
// the masked positions only.
class BertHead : public ModelHead {
public:
    BertHead(const ModelSpec& model, const ParameterStore& parameters, const at::Tensor& decoder)
        : m_activation(model.activation)
        , m_epsilon(model.layerNormEpsilon)
        , m_transform(linearWeights(parameters, bert_head::kTransform))
        , m_transformNorm(layerNormWeights(parameters, bert_head::kTransformNorm))
        , m_decoder{decoder, parameters.leaf(bert_head::kDecoderBias)}
    {
        if (!model.nextSentence)
            return;
        m_pooler = linearWeights(parameters, bert_head::kPooler);
        m_nextSentence = linearWeights(parameters, bert_head::kNextSentence);
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
        const Product product_MH = productOf(masked_MH, m_transform, NextPass::Activation, pass.compute());
        const at::Tensor transformed_MH =
            layerNorm(activateUngated(product_MH.values, product_MH.bias, m_activation, pass.compute()),
                      m_transformNorm, m_epsilon, pass.compute());
        return columnLinear(transformed_MH, m_decoder, pass.parallel.withWholeTokens(), pass.compute());
    }

    // Of no sequence where their first tokens lie on another rank.
    at::Tensor predictNextSentence(const at::Tensor& hidden_TH, const ForwardPass& pass) const
    {
        const at::Tensor first_BH = hidden_TH.index_select(0, pass.batch.firstTokens())
                                        .narrow(0, 0, pass.slice.hasFirst() ? pass.batch.sequences() : 0);
        return linear(at::tanh(linear(first_BH, m_pooler, pass.compute())), m_nextSentence, pass.compute());
    }

    Activation m_activation;
    double m_epsilon;
    LinearWeights m_transform;
    LayerNormWeights m_transformNorm;
    LinearWeights m_decoder;
    LinearWeights m_pooler; // undefined without next-sentence head
    LinearWeights m_nextSentence;
};

} // namespace

std::unique_ptr<const ModelHead> makeBertHead(const ModelSpec& model, const ParameterStore& parameters,
                                              const at::Tensor& decoder)
{
    return std::make_unique<const BertHead>(model, parameters, decoder);
}

} // namespace trainyard
