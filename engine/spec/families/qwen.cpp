#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/families/llama_like.h"

namespace trainyard {

Status readOptionalWindow(const ConfigJson& config, ModelSpec& model)
{
    const auto window = config.find("sliding_window");
    const bool isUsed =
        config.value("use_sliding_window", false) && window != config.end() && !window->is_null();
    model.window = isUsed ? window->get<int>() : 0;
    const auto types = config.find("layer_types");
    if (types != config.end() && !types->is_null())
        return readLayerTypes(config, model);
    const int first = config.value("max_window_layers", 28);
    if (model.window > 0 && first >= model.layers)
        model.window = 0;
    model.globalLeading = model.window > 0 ? first : 0;
    return {};
}

void writeOptionalWindow(ConfigJson& config, const ModelSpec& model)
{
    config["use_sliding_window"] = model.window > 0;
    config["sliding_window"] = model.window > 0 ? ConfigJson(model.window) : ConfigJson(nullptr);
    config["max_window_layers"] = model.window > 0 ? model.globalLeading : model.layers;
    writeLayerTypes(config, model);
}

namespace {

constexpr std::array kQwenKeys{ConfigKey{"num_key_value_heads", &ModelSpec::keyValueHeads, 32}};

Status readQwen2(const ConfigJson& config, ModelSpec& model)
{
    readKeys(config, kQwenKeys, model);
    TRAINYARD_TRY_STATUS(readOptionalWindow(config, model));
    return readLlamaLike(config, model);
}

void writeQwen2(ConfigJson& config, const ModelSpec& model)
{
    writeOptionalWindow(config, model);
    writeLlamaLike(config, model);
}

Status readQwen3(const ConfigJson& config, ModelSpec& model)
{
    readKeys(config, kQwenKeys, model);
    readAttentionBias(config, model);
    readKeys(config, std::array{ConfigKey{"head_dim", &ModelSpec::headWidth, 128}}, model);
    TRAINYARD_TRY_STATUS(readOptionalWindow(config, model));
    return readLlamaLike(config, model);
}

void writeQwen3(ConfigJson& config, const ModelSpec& model)
{
    config["attention_bias"] = model.attentionBiases == AttentionBiases::All;
    config["head_dim"] = model.headSize();
    writeOptionalWindow(config, model);
    writeLlamaLike(config, model);
}

} // namespace

// Yang et al., arXiv:2407.10671 and 2412.15115.
const FamilyTable& qwen2Table()
{
    static const FamilyTable table{.isDecoder = true,
                                   .describe =
                                       [](ModelSpec& model) {
                                           describeLlamaLike(model);
                                           model.attentionBiases = AttentionBiases::QueryKeyValue;
                                       },
                                   .loraTargets = {"q_proj", "v_proj"},
                                   .names = llamaNames(),
                                   .huggingFace =
                                       llamaLike("qwen2", "Qwen2ForCausalLM", readQwen2, writeQwen2)};
    return table;
}

// Yang et al., arXiv:2505.09388.
const FamilyTable& qwen3Table()
{
    static const FamilyTable table{.isDecoder = true,
                                   .describe =
                                       [](ModelSpec& model) {
                                           describeLlamaLike(model);
                                           model.queryKeyNorm = QueryKeyNorm::Head;
                                       },
                                   .loraTargets = {"q_proj", "v_proj"},
                                   .names = llamaNames(),
                                   .huggingFace =
                                       llamaLike("qwen3", "Qwen3ForCausalLM", readQwen3, writeQwen3)};
    return table;
}

} // namespace trainyard
