#include <nlohmann/json.hpp>

#include "engine/spec/families/llama_like.h"

namespace trainyard {

namespace {

Status readOlmo2(const ConfigJson& config, ModelSpec& model)
{
    readAttentionBias(config, model);
    return readLlamaLike(config, model);
}

void writeOlmo2(ConfigJson& config, const ModelSpec& model)
{
    config["attention_bias"] = model.attentionBiases == AttentionBiases::All;
    writeLlamaLike(config, model);
}

FamilyNames olmo2Names()
{
    FamilyNames names = llamaNames();
    names.attentionNorm = "post_attention_layernorm";
    names.feedForwardNorm = "post_feedforward_layernorm";
    return names;
}

} // namespace

// OLMo et al., arXiv:2501.00656.
const FamilyTable& olmo2Table()
{
    static const FamilyTable table{.isDecoder = true,
                                   .describe =
                                       [](ModelSpec& model) {
                                           describeLlamaLike(model);
                                           model.norm = NormPlacement::Output;
                                           model.queryKeyNorm = QueryKeyNorm::Whole;
                                           model.layerNormEpsilon = 1e-5;
                                       },
                                   .loraTargets = {"q_proj", "v_proj"},
                                   .names = olmo2Names(),
                                   .huggingFace =
                                       llamaLike("olmo2", "Olmo2ForCausalLM", readOlmo2, writeOlmo2)};
    return table;
}

} // namespace trainyard
