#include <array>

#include <nlohmann/json.hpp>

#include "engine/spec/families/llama_like.h"

namespace trainyard {

void describeLlamaLike(ModelSpec& model)
{
    model.tokenTypes = 0;
    model.activation = Activation::Swiglu;
    model.norm = NormPlacement::Pre;
    model.normKind = NormKind::RmsNorm;
    model.positions = PositionEncoding::Rotary;
    model.tiedHead = false;
    model.nextSentence = false;
    model.layerNormEpsilon = 1e-6;
    model.attentionBiases = AttentionBiases::None;
    model.feedForwardBiases = false;
    model.embeddingNorm = false;
    model.paddingWord = -1;
}

FamilyNames llamaNames()
{
    return {.words = "model.embed_tokens.weight",
            .positions = "model.embed_positions.weight",
            .tokenTypes = "model.embed_types.weight",
            .embeddingNorm = "model.embed_norm",
            .layers = "model.layers",
            .query = "self_attn.q_proj",
            .key = "self_attn.k_proj",
            .value = "self_attn.v_proj",
            .queryNorm = "self_attn.q_norm",
            .keyNorm = "self_attn.k_norm",
            .attentionOutput = "self_attn.o_proj",
            .attentionNorm = "input_layernorm",
            .attentionOutputNorm = "attention_output_layernorm",
            .gate = "mlp.gate_proj",
            .in = "mlp.up_proj",
            .out = "mlp.down_proj",
            .feedForwardNorm = "post_attention_layernorm",
            .feedForwardOutputNorm = "feedforward_output_layernorm",
            .finalNorm = "model.norm",
            .decoder = "lm_head.weight"};
}

HuggingFaceTable llamaLike(std::string_view modelType, std::string_view className,
                           Status (*read)(const ConfigJson&, ModelSpec&),
                           void (*write)(ConfigJson&, const ModelSpec&))
{
    return {.modelType = modelType,
            .className = className,
            .prefix = "model.",
            .keys = llamaKeys(),
            .read = read,
            .write = write};
}

Status readLlamaLike(const ConfigJson& config, ModelSpec& model)
{
    readPaddingWord(config, model);
    model.layerNormEpsilon = config.value("rms_norm_eps", model.layerNormEpsilon);
    model.tiedHead = config.value("tie_word_embeddings", model.tiedHead);
    TRAINYARD_TRY_STATUS(readActivation(config, "hidden_act", /*isGated=*/true, model));
    return readRope(config, model);
}

void writeLlamaLike(ConfigJson& config, const ModelSpec& model)
{
    writePaddingWord(config, model);
    config["rms_norm_eps"] = model.layerNormEpsilon;
    config["tie_word_embeddings"] = model.tiedHead;
    config["hidden_act"] = activationName(model.activation);
    config["num_key_value_heads"] = model.keyHeads();
    writeRope(config, model);
}

void readAttentionBias(const ConfigJson& config, ModelSpec& model)
{
    model.attentionBiases =
        config.value("attention_bias", false) ? AttentionBiases::All : AttentionBiases::None;
}

namespace {

Status readLlama(const ConfigJson& config, ModelSpec& model)
{
    readAttentionBias(config, model);
    model.feedForwardBiases = config.value("mlp_bias", false);
    readKeys(config, std::array{ConfigKey{"head_dim", &ModelSpec::headWidth, 0}}, model);
    return readLlamaLike(config, model);
}

void writeLlama(ConfigJson& config, const ModelSpec& model)
{
    config["attention_bias"] = model.attentionBiases == AttentionBiases::All;
    config["mlp_bias"] = model.feedForwardBiases;
    config["head_dim"] = model.headSize();
    writeLlamaLike(config, model);
}

} // namespace

// Touvron et al., arXiv:2302.13971 and 2307.09288; Grattafiori et al., arXiv:2407.21783.
const FamilyTable& llamaTable()
{
    static const FamilyTable table{.isDecoder = true,
                                   .describe = describeLlamaLike,
                                   .loraTargets = {"q_proj", "v_proj"},
                                   .names = llamaNames(),
                                   .huggingFace =
                                       llamaLike("llama", "LlamaForCausalLM", readLlama, writeLlama)};
    return table;
}

} // namespace trainyard
