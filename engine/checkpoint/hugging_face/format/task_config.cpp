#include "engine/checkpoint/hugging_face/format/task_config.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/checkpoint/hugging_face/format/architecture.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

constexpr std::array kTasksWithClasses{TaskKind::Classify, TaskKind::Regress, TaskKind::Tag,
                                       TaskKind::Answer};

/// The first task of the class that saved the model; None for classes of pre-training.
TaskKind savedTask(const nlohmann::ordered_json& config, std::string_view prefix)
{
    const auto classes = config.value("architectures", nlohmann::ordered_json());
    for (const TaskKind task : kTasksWithClasses) {
        if (classes.is_array() && !classes.empty() && classes.front() == taskClass(prefix, task))
            return task;
    }
    return TaskKind::None;
}

int labelCount(const nlohmann::ordered_json& config)
{
    const auto labels = config.find("id2label");
    return labels != config.end() && labels->is_object() ? static_cast<int>(labels->size())
                                                         : config.value("num_labels", TaskSpec().labels);
}

// As Hugging Face decides it: by problem_type, or without one by the number of labels.
Result<TaskKind> sequenceTask(const nlohmann::ordered_json& config, int labels)
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

} // namespace

std::string taskClass(std::string_view prefix, TaskKind kind)
{
    const char* const suffix = kind == TaskKind::Tag      ? "ForTokenClassification"
                               : kind == TaskKind::Answer ? "ForQuestionAnswering"
                                                          : "ForSequenceClassification";
    return std::string(prefix) + suffix;
}

Result<TaskSpec> readTask(const nlohmann::ordered_json& config, std::string_view prefix, double dropout)
{
    TaskSpec task{.kind = savedTask(config, prefix)};
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

void addTask(nlohmann::ordered_json& config, const TaskSpec& task, const std::vector<std::string>& labels)
{
    config["classifier_dropout"] = task.dropout;
    if (task.kind == TaskKind::Answer)
        return;
    const bool areNamed = task.hasLabels() && labels.size() == static_cast<std::size_t>(task.labels);
    nlohmann::ordered_json names = nlohmann::ordered_json::object();
    nlohmann::ordered_json numbers = nlohmann::ordered_json::object();
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

} // namespace trainyard
