#include "engine/hand_over/card_sections.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/hand_over/card_text.h"

namespace trainyard::card {

namespace {

constexpr std::string_view kGooglePython = "google-py";

/// Where the tokenizer or the positions differ from what a reader of the configuration expects.
std::vector<std::string> limits(const CardFacts& facts)
{
    const ModelSpec& model = facts.spec.model;
    std::vector<std::string> lines;
    if (facts.dataSet) {
        lines.push_back(
            fmt::format("It was trained on the text named above alone{}, and repeats its errors and "
                        "biases.",
                        facts.spec.init.isOn() ? ", besides what it began with" : ""));
        const bool sawOthers = facts.spec.init.isOn() || !facts.spec.phases.empty(); // perhaps longer rows
        if (facts.dataSet->sequenceLength < model.maxPositions && !sawOthers &&
            model.positions == PositionEncoding::Learned)
            lines.push_back(fmt::format("It was trained on rows of at most {}: positions from {} to {} "
                                        "were never trained.",
                                        groupedCount(facts.dataSet->sequenceLength, "token"),
                                        facts.dataSet->sequenceLength, model.maxPositions - 1));
    }
    if (facts.hasRun() && facts.step.value < facts.spec.launch.steps)
        lines.emplace_back("Its training was not finished.");
    const CardTokenizer tokenizer = facts.tokenizer.value_or(CardTokenizer{});
    if (tokenizer.entries > 0 && tokenizer.entries < static_cast<std::size_t>(model.vocabulary))
        lines.push_back(fmt::format("The tokenizer has {} entries; tokens from {} to {} never occur.",
                                    grouped(std::uint64_t{tokenizer.entries}), tokenizer.entries,
                                    model.vocabulary - 1));
    if (facts.tokenizer)
        lines.emplace_back("The tokenizer takes names of special tokens in a text, such as [SEP], for these "
                           "tokens; in the training data they were plain text.");
    if (tokenizer.profile == kGooglePython)
        lines.emplace_back("The training data was tokenized with the Unicode tables of Google's "
                           "tokenization.py on Python 3.11; the tokenizer here treats a few rare characters "
                           "differently.");
    lines.emplace_back("It was not evaluated on any task beyond the figures above.");
    return lines;
}

} // namespace

std::string limitations(const CardFacts& facts)
{
    std::string text = "\n## Limitations\n\n";
    for (const std::string& line : limits(facts))
        text += "- " + line + "\n";
    return text;
}

} // namespace trainyard::card
