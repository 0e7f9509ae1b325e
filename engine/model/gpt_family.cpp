#include <cmath>

#include "engine/model/model_family.h"

namespace trainyard {

namespace {

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
};

} // namespace

const ModelFamilyTraits& gptFamily()
{
    static const GptFamily family;
    return family;
}

} // namespace trainyard
