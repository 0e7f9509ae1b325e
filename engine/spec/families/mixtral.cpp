#include <array>

#include <nlohmann/json.hpp>

#include "engine/spec/families/experts_like.h"
#include "engine/spec/families/llama_like.h"

namespace trainyard {

FamilyNames expertNames()
{
    FamilyNames names = llamaNames();
    names.router = "mlp.gate";
    names.expertsIn = "mlp.experts.gate_up_proj";
    names.expertsOut = "mlp.experts.down_proj";
    return names;
}

Status readExperts(const ConfigJson& config, ModelSpec& model)
{
    const char* count = config.contains("num_experts") ? "num_experts" : "num_local_experts";
    model.experts.count = config.value(count, model.experts.count);
    model.experts.perToken = config.value("num_experts_per_tok", model.experts.perToken);
    model.experts.balanceLoss = config.value("router_aux_loss_coef", 0.001);
    return {};
}

void writeExperts(ConfigJson& config, const ModelSpec& model)
{
    config["num_local_experts"] = model.experts.count;
    config["num_experts_per_tok"] = model.experts.perToken;
    config["router_aux_loss_coef"] = model.experts.balanceLoss;
}

namespace {

Status readMixtral(const ConfigJson& config, ModelSpec& model)
{
    constexpr std::array kOwnKeys{ConfigKey{"head_dim", &ModelSpec::headWidth, 0},
                                  ConfigKey{"num_key_value_heads", &ModelSpec::keyValueHeads, 8},
                                  ConfigKey{"sliding_window", &ModelSpec::window, 0}};
    readKeys(config, kOwnKeys, model);
    TRAINYARD_TRY_STATUS(requireKey(config, "router_jitter_noise", 0.0));
    TRAINYARD_TRY_STATUS(readExperts(config, model));
    return readLlamaLike(config, model);
}

void writeMixtral(ConfigJson& config, const ModelSpec& model)
{
    config["head_dim"] = model.headSize();
    config["sliding_window"] = model.window > 0 ? ConfigJson(model.window) : ConfigJson(nullptr);
    config["router_jitter_noise"] = 0.0;
    writeExperts(config, model);
    writeLlamaLike(config, model);
}

} // namespace

// Jiang et al., arXiv:2401.04088.
const FamilyTable& mixtralTable()
{
    HuggingFaceTable huggingFace = llamaLike("mixtral", "MixtralForCausalLM", readMixtral, writeMixtral);
    huggingFace.separateExperts = {"block_sparse_moe.gate", "block_sparse_moe.experts", "w1", "w3", "w2"};
    static const FamilyTable table{.isDecoder = true,
                                   .describe =
                                       [](ModelSpec& model) {
                                           describeLlamaLike(model);
                                           model.layerNormEpsilon = 1e-5;
                                           model.experts = {.count = 8, .perToken = 2};
                                       },
                                   .loraTargets = {"q_proj", "v_proj"},
                                   .names = expertNames(),
                                   .huggingFace = huggingFace};
    return table;
}

} // namespace trainyard
