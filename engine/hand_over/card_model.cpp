#include "engine/hand_over/card_sections.h"

#include <fmt/format.h>

#include "engine/hand_over/card_kind.h"
#include "engine/hand_over/card_text.h"
#include "engine/planner/layout/parameter_parts.h"

namespace trainyard::card {

namespace {

constexpr std::size_t kMaxLabelRows = 100;

std::string origin(const CardFacts& facts)
{
    if (!facts.hasRun())
        return "Its weights were imported into Trainyard; how they were trained is not recorded.";
    std::string text =
        facts.spec.init.isOn()
            ? "It was trained with Trainyard, and began with the weights of another model or run"
            : fmt::format("It was {} from scratch with Trainyard",
                          facts.spec.model.task.isOn() ? "trained" : "pre-trained");
    if (const auto language = languageOf(facts))
        text += fmt::format("{} text of Wikipedia, language \"{}\"", facts.spec.init.isOn() ? ", on" : " on",
                            *language);
    text += ".\n";
    text += facts.step.value >= facts.spec.launch.steps
                ? fmt::format("This is the end of its training, step {}.", grouped(facts.step.value))
                : fmt::format("This is step {} of the {} planned.", grouped(facts.step.value),
                              grouped(std::int64_t{facts.spec.launch.steps}));
    return text;
}

ModelSpec withoutAdapters(ModelSpec model)
{
    model.lora = {};
    return model;
}

std::string_view outputText(TaskKind kind)
{
    switch (kind) {
    case TaskKind::Classify:
        return "It finds the class of a text, or of a pair of texts.";
    case TaskKind::Regress:
        return "It gives a text, or a pair of texts, one number.";
    case TaskKind::Tag:
        return "It gives each word of a text a label, at the word's first token.";
    case TaskKind::Answer:
        return "It finds the answer to a question in a text: its first and its last token.";
    case TaskKind::Complete:
        return "It completes a prompt, and ends with [SEP].";
    case TaskKind::None:
        break;
    }
    return {};
}

std::string labelTable(const std::vector<std::string>& labels)
{
    Rows rows;
    for (std::size_t i = 0; i < labels.size() && i < kMaxLabelRows; ++i)
        rows.push_back({std::to_string(i), plain(labels[i])});
    std::string text = "\n" + table({"Output", "Label"}, rows);
    if (labels.size() > rows.size())
        text += fmt::format("\n{} more {} in config.json, id2label.\n", labels.size() - rows.size(),
                            labels.size() - rows.size() == 1 ? "is" : "are");
    return text;
}

std::string labelText(const CardFacts& facts)
{
    const TaskSpec& task = facts.spec.model.task;
    if (!task.hasLabels())
        return {};
    if (!facts.labels.empty())
        return labelTable(facts.labels);
    return fmt::format("Its {} labels have no names here; they were numbered by the data set that it was "
                       "trained on.\n",
                       grouped(std::int64_t{task.labels}));
}

std::string feedForwardText(const ModelSpec& model)
{
    const ExpertSpec& experts = model.experts;
    if (!experts.isOn())
        return fmt::format("feed-forward width {}", model.intermediate);
    return fmt::format("{} experts of width {} of which each token takes {} ({} parameters)", experts.count,
                       model.expertWidth(), experts.perToken,
                       grouped(activeParameterCount(withoutAdapters(model))));
}

} // namespace

std::string introduction(const CardFacts& facts)
{
    const ModelSpec& model = facts.spec.model;
    return fmt::format("# {}\n\n{} of {} parameters: {} of width {} with {}, {}, "
                       "{} positions, a vocabulary of {}.\n{}\n",
                       plain(facts.hasRun() ? facts.spec.name : facts.name), facts.family,
                       grouped(parameterCount(withoutAdapters(model))), groupedCount(model.layers, "layer"),
                       model.hidden, groupedCount(model.heads, "head"), feedForwardText(model),
                       model.maxPositions, grouped(std::int64_t{model.vocabulary}), origin(facts));
}

std::string taskText(const CardFacts& facts)
{
    const TaskKind kind = facts.spec.model.task.kind;
    if (kind == TaskKind::None)
        return {};
    return fmt::format("\n## Task\n\n{}\n{}", outputText(kind), labelText(facts));
}

} // namespace trainyard::card
