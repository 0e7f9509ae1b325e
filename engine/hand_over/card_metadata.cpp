#include "engine/hand_over/card_sections.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/hand_over/card_kind.h"
#include "engine/records/evaluation_metrics.h"
#include "engine/spec/names.h"

namespace trainyard::card {

namespace {

/// The library "evaluate" has them under these names.
std::string_view hubMetric(std::string_view metric)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames{
        {{"matthews", "matthews_correlation"}, {"pearson", "pearsonr"}, {"spearman", "spearmanr"}}};
    for (const auto& [own, theirs] : kNames) {
        if (own == metric)
            return theirs;
    }
    return metric;
}

/// Those of the task that were computed.
std::string metricTags(const CardFacts& facts)
{
    if (!facts.spec.model.task.hasHead() || !facts.history || facts.history->evaluations.empty())
        return {};
    std::string text;
    for (const auto& [name, value] : metricsOf(facts.history->evaluations.back(), facts.spec.model.family))
        text += fmt::format("- {}\n", hubMetric(name));
    return text.empty() ? text : "metrics:\n" + text;
}

/// Hugging Face's name of the family.
std::string_view modelTag(ModelFamily family)
{
    return family == ModelFamily::Gpt ? "gpt2" : nameOf(family);
}

} // namespace

std::string metadata(const CardFacts& facts)
{
    std::string text = "---\n";
    const auto language = languageOf(facts);
    if (language)
        text += "language:\n- " + *language + "\n";
    text += "# license: choose one and remove the #, e.g. apache-2.0\n"
            "library_name: ";
    text += facts.adaptersAlone ? "peft\n" : "transformers\n";
    text += fmt::format("pipeline_tag: {}\n", pipelineTask(facts));
    text += metricTags(facts);
    if (language)
        text += "datasets:\n- wikipedia\n";
    text += fmt::format("tags:\n- {}\n- trainyard\n---\n", modelTag(facts.spec.model.family));
    return text;
}

} // namespace trainyard::card
