#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/checkpoint/hugging_face/format/architecture.h"
#include "engine/spec/limits.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

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

constexpr std::array<std::pair<TaskKind, std::string_view>, 4> kTaskClasses{
    {{TaskKind::Classify, "BertForSequenceClassification"},
     {TaskKind::Regress, "BertForSequenceClassification"},
     {TaskKind::Tag, "BertForTokenClassification"},
     {TaskKind::Answer, "BertForQuestionAnswering"}}};

std::string_view taskClass(TaskKind kind)
{
    for (const auto& [task, name] : kTaskClasses) {
        if (task == kind)
            return name;
    }
    return {};
}

/// The first task of the class that saved the model; None for classes of pre-training.
TaskKind savedTask(const Json& config)
{
    const auto classes = config.value("architectures", Json());
    for (const auto& [task, name] : kTaskClasses) {
        if (classes.is_array() && !classes.empty() && classes.front() == name)
            return task;
    }
    return TaskKind::None;
}

int labelCount(const Json& config)
{
    const auto labels = config.find("id2label");
    return labels != config.end() && labels->is_object() ? static_cast<int>(labels->size())
                                                         : config.value("num_labels", TaskSpec().labels);
}

// As Hugging Face decides it: by problem_type, or without one by the number of labels.
Result<TaskKind> sequenceTask(const Json& config, int labels)
{
    const auto given = config.find("problem_type");
    const std::string type = given != config.end() && given->is_string() ? given->get<std::string>() : "";
    if (type == "multi_label_classification")
        return badInput("problem_type is \"multi_label_classification\"",
                        "rows with one label or one number each are supported");
    if (type == "single_label_classification" || (type.empty() && labels > 1))
        return TaskKind::Classify;
    if (labels != 1)
        return badInput(fmt::format("is a regression with {} numbers for each row", labels),
                        "regressions with one number are supported");
    return TaskKind::Regress;
}

Result<TaskSpec> readTask(const Json& config, double dropout)
{
    TaskSpec task{.kind = savedTask(config)};
    if (!task.hasHead() || task.kind == TaskKind::Answer)
        return task;
    const auto own = config.find("classifier_dropout");
    task.dropout = own != config.end() && own->is_number() ? own->get<double>() : dropout;
    const int labels = labelCount(config);
    if (labels < 1 || labels > kMaxLabels)
        return badInput(fmt::format("has {} labels", labels),
                        fmt::format("1 to {} are supported", kMaxLabels));
    if (task.kind == TaskKind::Classify) {
        TRAINYARD_TRY(task.kind, sequenceTask(config, labels));
    }
    if (task.hasLabels())
        task.labels = labels;
    return task;
}

void addTask(Json& config, const TaskSpec& task, const std::vector<std::string>& labels)
{
    config["classifier_dropout"] = task.dropout;
    if (task.kind == TaskKind::Answer)
        return;
    const bool areNamed = task.hasLabels() && labels.size() == static_cast<std::size_t>(task.labels);
    Json names = Json::object();
    Json numbers = Json::object();
    for (int label = 0; label < task.outputs(); ++label) {
        const std::string name = areNamed ? labels[static_cast<std::size_t>(label)] : unnamedLabel(label);
        names[std::to_string(label)] = name;
        numbers[name] = label;
    }
    config["id2label"] = names;
    config["label2id"] = numbers;
    config["num_labels"] = task.outputs();
    if (task.kind != TaskKind::Tag)
        config["problem_type"] =
            task.kind == TaskKind::Regress ? "regression" : "single_label_classification";
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
            return std::string(taskClass(model.task.kind));
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
        TRAINYARD_TRY(model.task, readTask(config, model.dropout));
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
