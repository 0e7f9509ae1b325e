#include <nlohmann/json.hpp>

#include "engine/spec/families/llama_like.h"

namespace trainyard {

namespace {

Status readMistral(const ConfigJson& config, ModelSpec& model)
{
    const auto intOr = [&](const char* key, int otherwise) {
        if (!config.contains(key))
            return otherwise;
        return config.at(key).is_null() ? 0 : config.at(key).get<int>();
    };
    model.headWidth = intOr("head_dim", 0);
    model.keyValueHeads = intOr("num_key_value_heads", 8);
    model.window = intOr("sliding_window", 4096);
    return readLlamaLike(config, model);
}

void writeMistral(ConfigJson& config, const ModelSpec& model)
{
    config["head_dim"] = model.headSize();
    config["sliding_window"] = model.window > 0 ? ConfigJson(model.window) : ConfigJson(nullptr);
    writeLlamaLike(config, model);
}

} // namespace

// Jiang et al., arXiv:2310.06825.
const FamilyTable& mistralTable()
{
    static const FamilyTable table{.isDecoder = true,
                                   .describe = describeLlamaLike,
                                   .loraTargets = {"q_proj", "v_proj"},
                                   .names = llamaNames(),
                                   .huggingFace =
                                       llamaLike("mistral", "MistralForCausalLM", readMistral, writeMistral)};
    return table;
}

} // namespace trainyard
