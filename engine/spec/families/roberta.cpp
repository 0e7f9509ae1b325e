#include <array>

#include <nlohmann/json.hpp>

#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace {

constexpr int kPadding = 1; // <pad>

constexpr std::array kRobertaKeys{
    ConfigKey{"hidden_size", &ModelSpec::hidden},
    ConfigKey{"num_hidden_layers", &ModelSpec::layers},
    ConfigKey{"num_attention_heads", &ModelSpec::heads},
    ConfigKey{"intermediate_size", &ModelSpec::intermediate},
    ConfigKey{"vocab_size", &ModelSpec::vocabulary},
    ConfigKey{"type_vocab_size", &ModelSpec::tokenTypes, 1},
    ConfigKey{"hidden_dropout_prob", &ModelSpec::dropout, 0.1},
    ConfigKey{"attention_probs_dropout_prob", &ModelSpec::attentionDropout, 0.1},
    ConfigKey{"layer_norm_eps", &ModelSpec::layerNormEpsilon, 1e-12},
    ConfigKey{"initializer_range", &ModelSpec::initializerRange, 0.02},
    ConfigKey{"tie_word_embeddings", &ModelSpec::tiedHead, 1}};

// The table has rows for the padding and those before it; the first token has the row behind them.
Status readRoberta(const ConfigJson& config, ModelSpec& model)
{
    TRAINYARD_TRY_STATUS(requireKey(config, "position_embedding_type", "absolute"));
    TRAINYARD_TRY_STATUS(requireKey(config, "is_decoder", false));
    TRAINYARD_TRY_STATUS(requireKey(config, "pad_token_id", kPadding));
    model.positionOffset = kPadding + 1;
    model.maxPositions = config.at("max_position_embeddings").get<int>() - model.positionOffset;
    return readActivation(config, "hidden_act", /*isGated=*/false, model);
}

void writeRoberta(ConfigJson& config, const ModelSpec& model)
{
    config["max_position_embeddings"] = model.maxPositions + model.positionOffset;
    config["pad_token_id"] = kPadding;
    config["hidden_act"] = activationName(model.activation);
}

} // namespace

// Liu et al., arXiv:1907.11692.
const FamilyTable& robertaTable()
{
    static const FamilyTable table{.describe =
                                       [](ModelSpec& model) {
                                           model.tokenTypes = 1;
                                           model.nextSentence = false;
                                           model.layerNormEpsilon = 1e-5;
                                           model.paddingWord = kPadding;
                                           model.positionOffset = kPadding + 1;
                                       },
                                   .loraTargets = {"query", "value"},
                                   .names = {.words = "roberta.embeddings.word_embeddings.weight",
                                             .positions = "roberta.embeddings.position_embeddings.weight",
                                             .tokenTypes = "roberta.embeddings.token_type_embeddings.weight",
                                             .embeddingNorm = "roberta.embeddings.LayerNorm",
                                             .layers = "roberta.encoder.layer",
                                             .query = "attention.self.query",
                                             .key = "attention.self.key",
                                             .value = "attention.self.value",
                                             .queryNorm = "attention.self.query_norm",
                                             .keyNorm = "attention.self.key_norm",
                                             .attentionOutput = "attention.output.dense",
                                             .attentionNorm = "attention.output.LayerNorm",
                                             .attentionOutputNorm = "attention.output.output_norm",
                                             .gate = "intermediate.gate",
                                             .in = "intermediate.dense",
                                             .out = "output.dense",
                                             .feedForwardNorm = "output.LayerNorm",
                                             .feedForwardOutputNorm = "output.output_norm",
                                             .finalNorm = "roberta.encoder.LayerNorm",
                                             .decoder = "lm_head.decoder.weight",
                                             .transform = "lm_head.dense",
                                             .transformNorm = "lm_head.layer_norm",
                                             .decoderBias = "lm_head.bias"},
                                   .taskHeads = {.pooler = "classifier.dense",
                                                 .dropsFirstToken = true,
                                                 .sequences = "classifier.out_proj",
                                                 .tokens = "classifier",
                                                 .answers = "qa_outputs"},
                                   .huggingFace = {.modelType = "roberta",
                                                   .className = "RobertaForMaskedLM",
                                                   .prefix = "roberta.",
                                                   .keys = kRobertaKeys,
                                                   .read = readRoberta,
                                                   .write = writeRoberta,
                                                   .lossInFloat32 = false}};
    return table;
}

} // namespace trainyard
