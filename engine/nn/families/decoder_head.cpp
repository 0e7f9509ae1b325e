#include "engine/nn/families/model_head.h"
#include "engine/nn/layers.h"

namespace trainyard {

namespace {

// Next-token prediction of GPT-2 (Radford et al., 2019): the hidden states against the decoder's rows.
class DecoderHead : public ModelHead {
public:
    DecoderHead(const ModelSpec& model, const at::Tensor& decoder)
        : m_logitCap(model.logitCap), m_decoder{decoder, {}}
    {
    }

    Logits logits(const at::Tensor& hidden_TH, const ForwardPass& pass) const override
    {
        const at::Tensor chosen_MH = hidden_TH.index_select(0, pass.batch.targetPositions);
        return {capped(columnLinear(chosen_MH, m_decoder, pass.parallel.withWholeTokens(), pass.compute()),
                       m_logitCap),
                {}};
    }

private:
    double m_logitCap;
    LinearWeights m_decoder; // without bias
};

} // namespace

std::unique_ptr<const ModelHead> makeDecoderHead(const ModelSpec& model, const at::Tensor& decoder)
{
    return std::make_unique<const DecoderHead>(model, decoder);
}

} // namespace trainyard
