#include <ATen/ops/tanh.h>

#include "engine/model/bert_head_names.h"
#include "engine/model/model_family.h"
#include "engine/nn/families/model_head.h"
#include "engine/nn/families/prediction_transform.h"
#include "engine/nn/layers.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

// Both pre-training heads of Devlin et al. (arXiv:1810.04805), of which encoders since have the first; the
// masked-language-model head is computed at the masked positions only.
class EncoderHead : public ModelHead {
public:
    EncoderHead(const ModelSpec& model, const ParameterStore& parameters, const at::Tensor& decoder)
        : EncoderHead(model, headNames(model), parameters, decoder)
    {
    }

    EncoderHead(const ModelSpec& model, const HeadNames& names, const ParameterStore& parameters,
                const at::Tensor& decoder)
        : m_logitCap(model.logitCap)
        , m_transform(model, parameters, names.transform, names.transformNorm)
        , m_decoder{decoder, parameters.leaf(names.decoderBias)}
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
        const at::Tensor transformed_MH = m_transform.apply(masked_MH, pass.compute());
        return capped(
            columnLinear(transformed_MH, m_decoder, pass.parallel.withWholeTokens(), pass.compute()),
            m_logitCap);
    }

    // Of no sequence where their first tokens lie on another rank.
    at::Tensor predictNextSentence(const at::Tensor& hidden_TH, const ForwardPass& pass) const
    {
        const at::Tensor first_BH = hidden_TH.index_select(0, pass.firstTokens());
        return linear(at::tanh(linear(first_BH, m_pooler, pass.compute())), m_nextSentence, pass.compute());
    }

    double m_logitCap;
    PredictionTransform m_transform;
    LinearWeights m_decoder;
    LinearWeights m_pooler; // undefined without next-sentence head
    LinearWeights m_nextSentence;
};

} // namespace

std::unique_ptr<const ModelHead> makeEncoderHead(const ModelSpec& model, const ParameterStore& parameters,
                                                 const at::Tensor& decoder)
{
    return std::make_unique<const EncoderHead>(model, parameters, decoder);
}

} // namespace trainyard
