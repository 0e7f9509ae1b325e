#include <array>

#include <nlohmann/json.hpp>

#include "engine/spec/families/llama_like.h"

namespace trainyard {

namespace {

constexpr std::array kGemma2Keys{ConfigKey{"num_key_value_heads", &ModelSpec::keyValueHeads, 4},
                                 ConfigKey{"head_dim", &ModelSpec::headWidth, 256},
                                 ConfigKey{"query_pre_attn_scalar", &ModelSpec::queryScaleWidth, 256},
                                 ConfigKey{"attn_logit_softcapping", &ModelSpec::scoreCap, 50},
                                 ConfigKey{"final_logit_softcapping", &ModelSpec::logitCap, 30},
                                 ConfigKey{"sliding_window", &ModelSpec::window, 4096}};

Status readGemma2(const ConfigJson& config, ModelSpec& model)
{
    TRAINYARD_TRY_STATUS(requireKey(config, "use_bidirectional_attention", false));
    readAttentionBias(config, model);
    model.paddingWord = config.contains("pad_token_id") ? -1 : 0;
    readPaddingWord(config, model);
    readKeys(config, kGemma2Keys, model);
    model.layerNormEpsilon = config.value("rms_norm_eps", model.layerNormEpsilon);
    model.tiedHead = config.value("tie_word_embeddings", true);
    if (config.contains("layer_types") && !config.at("layer_types").is_null())
        TRAINYARD_TRY_STATUS(readLayerTypes(config, model));
    const char* activation = config.contains("hidden_activation") ? "hidden_activation" : "hidden_act";
    if (config.contains(activation) && !config.at(activation).is_null())
        TRAINYARD_TRY_STATUS(readActivation(config, activation, /*isGated=*/true, model));
    return readRope(config, model);
}

void writeGemma2(ConfigJson& config, const ModelSpec& model)
{
    const auto orNull = [](double value) { return value > 0 ? ConfigJson(value) : ConfigJson(nullptr); };
    config["attention_bias"] = model.attentionBiases == AttentionBiases::All;
    config["attn_logit_softcapping"] = orNull(model.scoreCap);
    config["final_logit_softcapping"] = orNull(model.logitCap);
    config["head_dim"] = model.headSize();
    config["hidden_activation"] = activationName(model.activation);
    const double scalar = model.queryScaleWidth > 0 ? model.queryScaleWidth : model.headSize();
    const auto whole = static_cast<int>(scalar); // transformers takes no other number
    config["query_pre_attn_scalar"] = whole == scalar ? ConfigJson(whole) : ConfigJson(scalar);
    config["sliding_window"] = model.window > 0 ? ConfigJson(model.window) : ConfigJson(nullptr);
    writeLlamaLike(config, model);
    writeLayerTypes(config, model);
}

FamilyNames gemma2Names()
{
    FamilyNames names = llamaNames();
    names.attentionOutputNorm = "post_attention_layernorm";
    names.feedForwardNorm = "pre_feedforward_layernorm";
    names.feedForwardOutputNorm = "post_feedforward_layernorm";
    return names;
}

} // namespace

// Gemma Team, arXiv:2408.00118.
const FamilyTable& gemma2Table()
{
    static const FamilyTable table{.isDecoder = true,
                                   .describe =
                                       [](ModelSpec& model) {
                                           describeLlamaLike(model);
                                           model.activation = Activation::GegluNew;
                                           model.norm = NormPlacement::Both;
                                           model.normKind = NormKind::RmsNormOffset;
                                           model.tiedHead = true;
                                           model.window = 4096;
                                           model.globalEvery = 2;
                                           model.globalFirst = 1;
                                           model.scoreCap = 50;
                                           model.logitCap = 30;
                                           model.scaledEmbeddings = true;
                                       },
                                   .loraTargets = {"q_proj", "v_proj"},
                                   .names = gemma2Names(),
                                   .huggingFace =
                                       llamaLike("gemma2", "Gemma2ForCausalLM", readGemma2, writeGemma2)};
    return table;
}

} // namespace trainyard
