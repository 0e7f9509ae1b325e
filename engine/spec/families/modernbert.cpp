#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace {

constexpr std::array kModernBertKeys{ConfigKey{"hidden_size", &ModelSpec::hidden},
                                     ConfigKey{"num_hidden_layers", &ModelSpec::layers},
                                     ConfigKey{"num_attention_heads", &ModelSpec::heads},
                                     ConfigKey{"intermediate_size", &ModelSpec::intermediate},
                                     ConfigKey{"vocab_size", &ModelSpec::vocabulary},
                                     ConfigKey{"max_position_embeddings", &ModelSpec::maxPositions},
                                     ConfigKey{"norm_eps", &ModelSpec::layerNormEpsilon, 1e-5},
                                     ConfigKey{"norm_bias", &ModelSpec::normBiases, 0},
                                     ConfigKey{"mlp_bias", &ModelSpec::feedForwardBiases, 0},
                                     ConfigKey{"classifier_bias", &ModelSpec::transformBias, 0},
                                     ConfigKey{"initializer_range", &ModelSpec::initializerRange, 0.02},
                                     ConfigKey{"tie_word_embeddings", &ModelSpec::tiedHead, 1}};

constexpr const char* kGlobalRope = "full_attention";
constexpr const char* kWindowRope = "sliding_attention";

// One object for each kind of layer, or in older files two keys.
Status readBases(const ConfigJson& config, ModelSpec& model)
{
    const ConfigJson both = config.value("rope_parameters", ConfigJson());
    if (!both.is_object()) {
        model.rope.base = config.value("global_rope_theta", 160000.0);
        const auto local = config.find("local_rope_theta");
        if (local != config.end())
            model.rope.windowBase = local->is_null() ? 0 : local->get<double>();
        return {};
    }
    for (const auto& [key, base] :
         {std::pair{kGlobalRope, &model.rope.base}, std::pair{kWindowRope, &model.rope.windowBase}}) {
        const ConfigJson& one = both.at(key);
        TRAINYARD_TRY_STATUS(requireKey(one, "rope_type", "default"));
        one.at("rope_theta").get_to(*base);
    }
    return {};
}

Status readWindow(const ConfigJson& config, ModelSpec& model)
{
    model.window = config.value("local_attention", 128) / 2;
    model.globalEvery = config.value("global_attn_every_n_layers", 3);
    model.globalFirst = 0;
    if (config.contains("layer_types") && !config.at("layer_types").is_null())
        return readLayerTypes(config, model);
    return {};
}

Status readModernBert(const ConfigJson& config, ModelSpec& model)
{
    model.attentionBiases =
        config.value("attention_bias", false) ? AttentionBiases::All : AttentionBiases::None;
    TRAINYARD_TRY_STATUS(requireKey(config, "decoder_bias", true));
    const std::string activation = config.value("hidden_activation", std::string("gelu"));
    TRAINYARD_TRY_STATUS(requireKey(config, "classifier_activation", activation));
    if (model.task.poolsFirstToken())
        TRAINYARD_TRY_STATUS(requireKey(config, "classifier_pooling", "cls"));
    for (const char* dropout : {"attention_dropout", "embedding_dropout", "mlp_dropout"})
        TRAINYARD_TRY_STATUS(requireKey(config, dropout, 0.0)); // applied where this engine applies none
    model.dropout = 0;
    model.attentionDropout = 0;
    const auto padding = config.find("pad_token_id");
    model.paddingWord = padding == config.end() ? 50283 : padding->is_null() ? -1 : padding->get<int>();
    TRAINYARD_TRY_STATUS(readActivation({{"hidden_activation", activation}}, "hidden_activation",
                                        /*isGated=*/true, model));
    TRAINYARD_TRY_STATUS(readWindow(config, model));
    return readBases(config, model);
}

void writeModernBert(ConfigJson& config, const ModelSpec& model)
{
    const double windowBase = model.rope.windowBase > 0 ? model.rope.windowBase : model.rope.base;
    config["attention_bias"] = model.attentionBiases == AttentionBiases::All;
    config["classifier_activation"] = activationName(model.activation);
    config["classifier_pooling"] = "cls";
    config["decoder_bias"] = true;
    config["attention_dropout"] = model.attentionDropout;
    config["embedding_dropout"] = model.dropout;
    config["mlp_dropout"] = model.dropout;
    writePaddingWord(config, model);
    for (const char* token : {"cls_token_id", "sep_token_id"})
        config[token] = nullptr; // the tokenizer knows them
    config["hidden_activation"] = activationName(model.activation);
    config["local_attention"] = 2 * model.window;
    config["global_attn_every_n_layers"] = model.globalEvery;
    config["global_rope_theta"] = model.rope.base;
    config["local_rope_theta"] = windowBase;
    config["rope_parameters"] = {{kGlobalRope, {{"rope_theta", model.rope.base}, {"rope_type", "default"}}},
                                 {kWindowRope, {{"rope_theta", windowBase}, {"rope_type", "default"}}}};
    writeLayerTypes(config, model);
}

} // namespace

// Warner et al., arXiv:2412.13663.
const FamilyTable& modernBertTable()
{
    static const FamilyTable table{
        .describe =
            [](ModelSpec& model) {
                model.tokenTypes = 0;
                model.paddingWord = -1;
                model.activation = Activation::Geglu;
                model.norm = NormPlacement::Pre;
                model.normBiases = false;
                model.positions = PositionEncoding::Rotary;
                model.rope.base = 160000;
                model.rope.windowBase = 10000;
                model.window = 64;
                model.globalEvery = 3;
                model.nextSentence = false;
                model.layerNormEpsilon = 1e-5;
                model.attentionBiases = AttentionBiases::None;
                model.feedForwardBiases = false;
                model.firstLayerNorm = false;
                model.transformBias = false;
            },
        .loraTargets = {"Wqkv"},
        .names = {.words = "model.embeddings.tok_embeddings.weight",
                  .positions = "model.embeddings.position_embeddings.weight",
                  .tokenTypes = "model.embeddings.type_embeddings.weight",
                  .embeddingNorm = "model.embeddings.norm",
                  .layers = "model.layers",
                  .query = "attn.Wqkv",
                  .queryNorm = "attn.q_norm",
                  .keyNorm = "attn.k_norm",
                  .attentionOutput = "attn.Wo",
                  .attentionNorm = "attn_norm",
                  .attentionOutputNorm = "attn_output_norm",
                  .in = "mlp.Wi",
                  .out = "mlp.Wo",
                  .feedForwardNorm = "mlp_norm",
                  .feedForwardOutputNorm = "mlp_output_norm",
                  .finalNorm = "model.final_norm",
                  .decoder = "decoder.weight",
                  .transform = "head.dense",
                  .transformNorm = "head.norm",
                  .decoderBias = "decoder.bias"},
        .taskHeads = {.sequences = "classifier", .tokens = "classifier", .answers = "classifier"},
        .huggingFace = {.modelType = "modernbert",
                        .className = "ModernBertForMaskedLM",
                        .prefix = "model.",
                        .keys = kModernBertKeys,
                        .read = readModernBert,
                        .write = writeModernBert}};
    return table;
}

} // namespace trainyard
