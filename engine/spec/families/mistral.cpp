#include <array>

#include <nlohmann/json.hpp>

#include "engine/spec/families/llama_like.h"

namespace trainyard {

namespace {

Status readMistral(const ConfigJson& config, ModelSpec& model)
{
    constexpr std::array kOwnKeys{ConfigKey{"head_dim", &ModelSpec::headWidth, 0},
                                  ConfigKey{"num_key_value_heads", &ModelSpec::keyValueHeads, 8},
                                  ConfigKey{"sliding_window", &ModelSpec::window, 4096}};
    readKeys(config, kOwnKeys, model);
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
