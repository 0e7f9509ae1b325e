#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace {

constexpr std::array kGptNeoxKeys{ConfigKey{"hidden_size", &ModelSpec::hidden},
                                  ConfigKey{"num_hidden_layers", &ModelSpec::layers},
                                  ConfigKey{"num_attention_heads", &ModelSpec::heads},
                                  ConfigKey{"intermediate_size", &ModelSpec::intermediate},
                                  ConfigKey{"vocab_size", &ModelSpec::vocabulary},
                                  ConfigKey{"max_position_embeddings", &ModelSpec::maxPositions},
                                  ConfigKey{"attention_dropout", &ModelSpec::attentionDropout, 0},
                                  ConfigKey{"hidden_dropout", &ModelSpec::dropout, 0},
                                  ConfigKey{"layer_norm_eps", &ModelSpec::layerNormEpsilon, 1e-5},
                                  ConfigKey{"initializer_range", &ModelSpec::initializerRange, 0.02},
                                  ConfigKey{"use_parallel_residual", &ModelSpec::parallelResidual, 1},
                                  ConfigKey{"tie_word_embeddings", &ModelSpec::tiedHead, 0}};

Status readGptNeox(const ConfigJson& config, ModelSpec& model)
{
    model.attentionBiases =
        config.value("attention_bias", true) ? AttentionBiases::All : AttentionBiases::None;
    TRAINYARD_TRY_STATUS(readActivation(config, "hidden_act", /*isGated=*/false, model));
    return readRope(config, model);
}

void writeGptNeox(ConfigJson& config, const ModelSpec& model)
{
    config["attention_bias"] = model.attentionBiases == AttentionBiases::All;
    config["hidden_act"] = activationName(model.activation);
    writeRope(config, model);
    // Where versions of transformers before 5 look for them.
    config["rotary_pct"] = model.rope.share;
    config["rotary_emb_base"] = model.rope.base;
}

} // namespace

// Black et al., arXiv:2204.06745; Biderman et al., arXiv:2304.01373 (Pythia).
const FamilyTable& gptNeoxTable()
{
    static const FamilyTable table{.isDecoder = true,
                                   .describe =
                                       [](ModelSpec& model) {
                                           model.tokenTypes = 0;
                                           model.norm = NormPlacement::Pre;
                                           model.positions = PositionEncoding::Rotary;
                                           model.rope.share = 0.25;
                                           model.parallelResidual = true;
                                           model.tiedHead = false;
                                           model.nextSentence = false;
                                           model.layerNormEpsilon = 1e-5;
                                           model.embeddingNorm = false;
                                           model.paddingWord = -1;
                                       },
                                   .loraTargets = {"query_key_value"},
                                   .names = {.words = "gpt_neox.embed_in.weight",
                                             .positions = "gpt_neox.embed_positions.weight",
                                             .tokenTypes = "gpt_neox.embed_types.weight",
                                             .embeddingNorm = "gpt_neox.embed_norm",
                                             .layers = "gpt_neox.layers",
                                             .query = "attention.query_key_value",
                                             .isHeadByHead = true,
                                             .queryNorm = "attention.query_norm",
                                             .keyNorm = "attention.key_norm",
                                             .attentionOutput = "attention.dense",
                                             .attentionNorm = "input_layernorm",
                                             .attentionOutputNorm = "attention_output_layernorm",
                                             .gate = "mlp.dense_h_to_gate",
                                             .in = "mlp.dense_h_to_4h",
                                             .out = "mlp.dense_4h_to_h",
                                             .feedForwardNorm = "post_attention_layernorm",
                                             .feedForwardOutputNorm = "feedforward_output_layernorm",
                                             .finalNorm = "gpt_neox.final_layer_norm",
                                             .decoder = "lm_head.weight"},
                                   .huggingFace = {.modelType = "gpt_neox",
                                                   .className = "GPTNeoXForCausalLM",
                                                   .prefix = "gpt_neox.",
                                                   .oldDecoder = "embed_out.weight",
                                                   .keys = kGptNeoxKeys,
                                                   .read = readGptNeox,
                                                   .write = writeGptNeox}};
    return table;
}

} // namespace trainyard
