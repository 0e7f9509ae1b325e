#include "engine/spec/families/family_table.h"

namespace trainyard {

// Radford et al., 2019 (GPT-2); Brown et al., arXiv:2005.14165.
const FamilyTable& gptTable()
{
    static const FamilyTable table{.isDecoder = true,
                                   .scalesResiduals = true,
                                   .describe =
                                       [](ModelSpec& model) {
                                           model.tokenTypes = 0;
                                           model.activation = Activation::GeluNew;
                                           model.norm = NormPlacement::Pre;
                                           model.nextSentence = false;
                                           model.layerNormEpsilon = 1e-5;
                                           model.embeddingNorm = false;
                                           model.paddingWord = -1;
                                       },
                                   .loraTargets = {"c_attn"},
                                   .names = {.words = "transformer.wte.weight",
                                             .positions = "transformer.wpe.weight",
                                             .tokenTypes = "transformer.wtte.weight",
                                             .embeddingNorm = "transformer.ln_e",
                                             .layers = "transformer.h",
                                             .query = "attn.c_attn",
                                             .queryNorm = "attn.q_norm",
                                             .keyNorm = "attn.k_norm",
                                             .attentionOutput = "attn.c_proj",
                                             .attentionNorm = "ln_1",
                                             .attentionOutputNorm = "ln_1_out",
                                             .gate = "mlp.c_gate",
                                             .in = "mlp.c_fc",
                                             .out = "mlp.c_proj",
                                             .feedForwardNorm = "ln_2",
                                             .feedForwardOutputNorm = "ln_2_out",
                                             .finalNorm = "transformer.ln_f",
                                             .decoder = "lm_head.weight"}};
    return table;
}

} // namespace trainyard
