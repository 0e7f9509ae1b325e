#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/hugging_face.h"
#include "engine/checkpoint/hugging_face_files.h"

namespace trainyard {

using Json = nlohmann::ordered_json;

namespace {

// Options under which this engine would compute something else than Hugging Face does.
Status checkOptions(const Json& config)
{
    const auto type = config.value("model_type", std::string());
    if (type != "bert")
        return badInput(fmt::format("model_type is \"{}\"", type), "only \"bert\" can be imported");
    const auto activation = config.value("hidden_act", std::string("gelu"));
    if (activation != "gelu")
        return badInput(fmt::format("hidden_act is \"{}\"", activation), "only \"gelu\" is supported");
    if (!config.value("tie_word_embeddings", true))
        return badInput("tie_word_embeddings is false",
                        "only a decoder tied to the word embeddings is supported");
    const auto positions = config.value("position_embedding_type", std::string("absolute"));
    if (positions != "absolute")
        return badInput(fmt::format("position_embedding_type is \"{}\"", positions),
                        "only \"absolute\" is supported");
    if (config.value("is_decoder", false))
        return badInput("is_decoder is true", "only encoders are supported");
    return {};
}

ModelSpec modelFrom(const Json& config)
{
    ModelSpec model;
    config.at("num_hidden_layers").get_to(model.layers);
    config.at("hidden_size").get_to(model.hidden);
    config.at("num_attention_heads").get_to(model.heads);
    config.at("intermediate_size").get_to(model.intermediate);
    config.at("vocab_size").get_to(model.vocabulary);
    config.at("max_position_embeddings").get_to(model.maxPositions);
    model.tokenTypes = config.value("type_vocab_size", model.tokenTypes);
    model.dropout = config.value("hidden_dropout_prob", model.dropout);
    model.attentionDropout = config.value("attention_probs_dropout_prob", model.attentionDropout);
    model.layerNormEpsilon = config.value("layer_norm_eps", model.layerNormEpsilon);
    model.initializerRange = config.value("initializer_range", model.initializerRange);
    return model;
}

} // namespace

Result<ModelSpec> readHuggingFaceConfig(const std::filesystem::path& folder)
{
    const std::string file = (folder / kConfigName).string();
    TRAINYARD_TRY(const std::string text, readFile(file));
    try {
        const Json config = Json::parse(text);
        const Status status = checkOptions(config);
        if (!status.ok())
            return status.error().in(file);
        const ModelSpec model = modelFrom(config);
        if (model.heads <= 0 || model.hidden % model.heads != 0)
            return badInput(fmt::format("{}: hidden_size {} is not a multiple of num_attention_heads {}",
                                        file, model.hidden, model.heads));
        return model;
    } catch (const Json::exception& error) {
        return badInput(fmt::format("{}: {}", file, error.what()));
    }
}

std::string huggingFaceConfig(const ModelSpec& model)
{
    const Json config{{"architectures", {"BertForPreTraining"}},
                      {"attention_probs_dropout_prob", model.attentionDropout},
                      {"hidden_act", "gelu"},
                      {"hidden_dropout_prob", model.dropout},
                      {"hidden_size", model.hidden},
                      {"initializer_range", model.initializerRange},
                      {"intermediate_size", model.intermediate},
                      {"layer_norm_eps", model.layerNormEpsilon},
                      {"max_position_embeddings", model.maxPositions},
                      {"model_type", "bert"},
                      {"num_attention_heads", model.heads},
                      {"num_hidden_layers", model.layers},
                      {"pad_token_id", 0},
                      {"position_embedding_type", "absolute"},
                      {"tie_word_embeddings", true},
                      {"torch_dtype", "float32"},
                      {"type_vocab_size", model.tokenTypes},
                      {"vocab_size", model.vocabulary}};
    return config.dump(2) + "\n";
}

} // namespace trainyard
