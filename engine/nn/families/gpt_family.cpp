#include <cmath>

#include "engine/nn/families/model_family.h"
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
        return {columnLinear(chosen_MH, m_decoder, pass.parallel.withWholeTokens()), {}};
    }

private:
    LinearWeights m_decoder; // without bias
};

class GptFamily : public ModelFamilyTraits {
public:
    bool isCausal() const override { return true; }

    EmbeddingNames embeddingNames() const override
    {
        return {"transformer.wte.weight", "transformer.wpe.weight", {}, {}};
    }

    std::int64_t paddingWord() const override { return -1; }

    LayerNames layerNames(int layer) const override
    {
        const std::string prefix = "transformer.h." + std::to_string(layer);
        return {{prefix + ".attn.c_attn", {}, {}},
                prefix + ".attn.c_proj",
                prefix + ".ln_1",
                prefix + ".mlp.c_gate",
                prefix + ".mlp.c_fc",
                prefix + ".mlp.c_proj",
                prefix + ".ln_2"};
    }

    HeadNames headNames() const override { return {"transformer.ln_f", "lm_head.weight"}; }

    // 1 / sqrt(number of residual sums), as in GPT-2.
    double residualDeviationScale(const ModelSpec& model) const override
    {
        return 1.0 / std::sqrt(2.0 * model.layers);
    }

    void addHead(ParameterList&, const ModelSpec&) const override {} // all it needs is in HeadNames

    std::unique_ptr<const ModelHead> makeHead(const ModelSpec&, const ParameterStore&,
                                              const at::Tensor& decoder) const override
    {
        return std::make_unique<const GptHead>(decoder);
    }
};

} // namespace

const ModelFamilyTraits& gptFamily()
{
    static const GptFamily family;
    return family;
}

} // namespace trainyard
