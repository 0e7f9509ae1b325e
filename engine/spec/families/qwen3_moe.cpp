#include <array>

#include <nlohmann/json.hpp>

#include "engine/spec/families/experts_like.h"
#include "engine/spec/families/llama_like.h"

namespace trainyard {

namespace {

Status readQwen3Moe(const ConfigJson& config, ModelSpec& model)
{
    constexpr std::array kOwnKeys{ConfigKey{"num_key_value_heads", &ModelSpec::keyValueHeads, 4},
                                  ConfigKey{"head_dim", &ModelSpec::headWidth, 0}};
    readKeys(config, kOwnKeys, model);
    readAttentionBias(config, model);
    TRAINYARD_TRY_STATUS(requireKey(config, "mlp_only_layers", ConfigJson::array()));
    TRAINYARD_TRY_STATUS(readExperts(config, model));
    model.experts.width = config.value("moe_intermediate_size", 768);
    model.experts.every = config.value("decoder_sparse_step", 1);
    if (model.experts.every < 1)
        return refusedKey(config, "decoder_sparse_step", "set it to at least 1");
    model.experts.normalized = config.value("norm_topk_prob", false);
    if (config.value("use_sliding_window", false)) // of all layers
        readKeys(config, std::array{ConfigKey{"sliding_window", &ModelSpec::window, 4096}}, model);
    return readLlamaLike(config, model);
}

void writeQwen3Moe(ConfigJson& config, const ModelSpec& model)
{
    config["attention_bias"] = model.attentionBiases == AttentionBiases::All;
    config["head_dim"] = model.headSize();
    config["mlp_only_layers"] = ConfigJson::array();
    writeExperts(config, model);
    config["num_experts"] = model.experts.count; // by this name before transformers 5
    config["moe_intermediate_size"] = model.expertWidth();
    config["decoder_sparse_step"] = model.experts.every;
    config["norm_topk_prob"] = model.experts.normalized;
    config["use_sliding_window"] = model.window > 0;
    config["sliding_window"] = model.window > 0 ? ConfigJson(model.window) : ConfigJson(nullptr);
    writeLlamaLike(config, model);
}

} // namespace

// Yang et al., arXiv:2505.09388.
const FamilyTable& qwen3MoeTable()
{
    HuggingFaceTable huggingFace = llamaLike("qwen3_moe", "Qwen3MoeForCausalLM", readQwen3Moe, writeQwen3Moe);
    huggingFace.separateExperts = {"mlp.gate", "mlp.experts", "gate_proj", "up_proj", "down_proj"};
    static const FamilyTable table{.isDecoder = true,
                                   .describe =
                                       [](ModelSpec& model) {
                                           describeLlamaLike(model);
                                           model.queryKeyNorm = QueryKeyNorm::Head;
                                           model.experts = {.count = 128, .perToken = 8};
                                       },
                                   .loraTargets = {"q_proj", "v_proj"},
                                   .names = expertNames(),
                                   .huggingFace = huggingFace};
    return table;
}

} // namespace trainyard
