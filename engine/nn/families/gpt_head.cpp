#include "engine/nn/families/model_head.h"
#include "engine/nn/layers.h"

namespace trainyard {

namespace {

// Next-token prediction of GPT-2 (Radford et al., 2019): the hidden states against the decoder's rows.
class GptHead : public ModelHead {
public:
    explicit GptHead(const at::Tensor& decoder) : m_decoder{decoder, {}} {}

    Logits logits(const at::Tensor& hidden_TH, const ForwardPass& pass) const override
    {
        const at::Tensor chosen_MH = hidden_TH.index_select(0, pass.batch.targetPositions);
        return {columnLinear(chosen_MH, m_decoder, pass.parallel.withWholeTokens(), pass.compute()), {}};
    }

private:
    LinearWeights m_decoder; // without bias
};

} // namespace

std::unique_ptr<const ModelHead> makeGptHead(const at::Tensor& decoder)
{
    return std::make_unique<const GptHead>(decoder);
}

} // namespace trainyard
