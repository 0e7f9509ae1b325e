#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/checkpoint/hugging_face/format/architecture.h"
#include "engine/checkpoint/hugging_face/format/task_config.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kClassPrefix = "Bert";
constexpr const char* kWords = "bert.embeddings.word_embeddings.weight";
constexpr const char* kDecoder = "cls.predictions.decoder.weight";
constexpr const char* kDecoderBias = "cls.predictions.decoder.bias";
constexpr const char* kBias = "cls.predictions.bias";
constexpr const char* kNextSentence = "cls.seq_relationship.weight";

// Files of the bare BertModel lack the prefix.
std::string prefixed(const std::string& name)
{
    const bool bare =
        name.starts_with("embeddings.") || name.starts_with("encoder.") || name.starts_with("pooler.");
    return bare ? "bert." + name : name;
}

// Checkpoints converted from TensorFlow call a layer norm's weight gamma and its bias beta.
std::string modernName(std::string name)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSuffixes{
        {{".LayerNorm.gamma", ".LayerNorm.weight"}, {".LayerNorm.beta", ".LayerNorm.bias"}}};
    for (const auto& [old, modern] : kSuffixes) {
        if (name.ends_with(old))
            return name.replace(name.size() - old.size(), old.size(), modern);
    }
    return name;
}

Status checkOptions(const Json& config)
{
    const auto positions = config.value("position_embedding_type", std::string("absolute"));
    if (positions != "absolute")
        return badInput(fmt::format("position_embedding_type is \"{}\"", positions),
                        "only \"absolute\" is supported");
    if (config.value("is_decoder", false))
        return badInput("is_decoder is true", "only encoders are supported");
    return {};
}

// The class that config.json names of a task's model; else BertForPreTraining, or BertForMaskedLM where the
// files have no next-sentence head.
class BertArchitecture : public Architecture {
public:
    std::string_view modelType() const override { return "bert"; }
    ModelFamily family() const override { return ModelFamily::Bert; }

    std::string className(const ModelSpec& model) const override
    {
        if (model.task.hasHead())
            return taskClass(kClassPrefix, model.task.kind);
        return model.nextSentence ? "BertForPreTraining" : "BertForMaskedLM";
    }

    Result<ModelSpec> readConfig(const Json& config, const TensorNames& tensors) const override
    {
        TRAINYARD_TRY_STATUS(checkOptions(config));
        ModelSpec model;
        TRAINYARD_TRY(model.activation, activationFrom(config.value("hidden_act", std::string("gelu"))));
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
        model.tiedHead = config.value("tie_word_embeddings", model.tiedHead);
        model.nextSentence = tensors.contains(kNextSentence);
        TRAINYARD_TRY(model.task, readTask(config, kClassPrefix, model.dropout));
        return model;
    }

    Json config(const ModelSpec& model, const std::vector<std::string>& labels) const override
    {
        Json config{{"architectures", {className(model)}},
                    {"attention_probs_dropout_prob", model.attentionDropout},
                    {"hidden_act", nameOf(model.activation)},
                    {"hidden_dropout_prob", model.dropout},
                    {"hidden_size", model.hidden},
                    {"initializer_range", model.initializerRange},
                    {"intermediate_size", model.intermediate},
                    {"layer_norm_eps", model.layerNormEpsilon},
                    {"max_position_embeddings", model.maxPositions},
                    {"model_type", modelType()},
                    {"num_attention_heads", model.heads},
                    {"num_hidden_layers", model.layers},
                    {"pad_token_id", 0},
                    {"position_embedding_type", "absolute"},
                    {"tie_word_embeddings", model.tiedHead},
                    {"torch_dtype", "float32"},
                    {"type_vocab_size", model.tokenTypes},
                    {"vocab_size", model.vocabulary}};
        if (model.task.hasHead())
            addTask(config, model.task, labels);
        return config;
    }

    Status requireExportable(const ModelSpec& model) const override
    {
        TensorNames tensors;
        if (model.nextSentence)
            tensors.insert(kNextSentence);
        if (model.norm == NormPlacement::Post && model.positions == PositionEncoding::Learned &&
            !model.isGated())
            return requireSaid(model, readConfig(config(model, {}), tensors));
        return badInput(fmt::format("Hugging Face has no BERT with {}-norm, {} positions and {}",
                                    nameOf(model.norm), nameOf(model.positions), nameOf(model.activation)),
                        "only post-norm, learned positions and an activation without a gate can be exported");
    }

    TensorRole roleOf(const std::string& storedName, const ModelSpec& model,
                      const TensorNames& tensors) const override
    {
        using Kind = TensorRole::Kind;
        const std::string name = modernName(prefixed(storedName));
        if (name == "bert.embeddings.position_ids")
            return {Kind::Unused, {}};
        const bool pools = model.predictsNextSentence() || model.task.poolsFirstToken();
        if (!pools && name.starts_with("bert.pooler."))
            return {Kind::OtherHead, name}; // older versions saved it with every class
        if (model.tiedHead && name == kDecoder)
            return {Kind::Copy, kWords};
        if (model.tiedHead && name == kDecoderBias)
            return {Kind::Copy, kBias};
        // An untied decoder adds its own bias, and the other one is never used.
        if (name == kDecoderBias)
            return {Kind::Parameter, kBias};
        if (!model.tiedHead && name == kBias && tensors.contains(kDecoderBias))
            return {Kind::Unused, {}};
        return {Kind::Parameter, name};
    }

    bool isTransposed(const std::string&) const override { return false; }

    std::string secondName(const std::string& parameter, const ModelSpec& model) const override
    {
        return !model.tiedHead && parameter == kBias ? kDecoderBias : "";
    }
};

} // namespace

const Architecture& bertArchitecture()
{
    static const BertArchitecture architecture;
    return architecture;
}

} // namespace trainyard
