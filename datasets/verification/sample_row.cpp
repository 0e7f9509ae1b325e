#include "datasets/verification/sample_row.h"

#include <utility>

#include <fmt/format.h>

#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace {

const char* relationOf(const RowRules& rules, bool label)
{
    if (rules.objective != Objective::Bert)
        return "";
    if (!label)
        return "B follows A";
    return rules.nextSentence == NextSentence::Swap ? "B comes before A" : "B is from another document";
}

std::string tokenText(const SampleRow::Token& token, bool continues)
{
    if (!token.original.empty())
        return fmt::format("{{{} -> {}}}", token.original, token.text);
    return continues ? token.text.substr(2) : token.text;
}

} // namespace

SampleRow decodeRow(const std::string& shard, std::uint64_t row, const Instance& instance,
                    const Vocabulary& vocabulary, const RowRules& rules)
{
    SampleRow sample;
    sample.shard = shard;
    sample.row = row;
    sample.randomNext = instance.randomNext;
    sample.relation = relationOf(rules, instance.randomNext);
    for (std::size_t i = 0; i < instance.tokens.size(); ++i)
        sample.tokens.push_back(
            {.text = vocabulary.shown(instance.tokens[i]), .segment = i >= instance.firstSegment ? 1 : 0});
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i)
        sample.tokens[static_cast<std::size_t>(instance.maskedPositions[i])].original =
            vocabulary.shown(instance.maskedIds[i]);
    return sample;
}

std::string toText(const SampleRow& sample)
{
    const std::string says = sample.label.empty() ? sample.relation : sanitizeText(sample.label);
    std::string text =
        fmt::format("{}, row {}{}{}\n ", sample.shard, sample.row, says.empty() ? "" : ": ", says);
    std::string tag; // of the word, behind its last piece
    bool inTarget = false;
    for (const SampleRow::Token& token : sample.tokens) {
        const bool continues = token.text.starts_with("##") && token.original.empty();
        if (!continues)
            text += std::exchange(tag, {});
        if (inTarget && !token.isTarget)
            text += "}";
        if (!continues)
            text += " ";
        if (token.isTarget && !inTarget)
            text += "{";
        inTarget = token.isTarget;
        if (!token.label.empty())
            tag = "/" + sanitizeText(token.label);
        text += tokenText(token, continues);
    }
    return text + (inTarget ? "}\n" : "\n");
}

} // namespace trainyard
