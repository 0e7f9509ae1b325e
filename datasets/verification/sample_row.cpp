#include "datasets/verification/sample_row.h"

#include <fmt/format.h>

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

} // namespace

SampleRow decodeRow(const std::string& shard, std::uint64_t row, const Instance& instance,
                    const Vocabulary& vocabulary, const RowRules& rules)
{
    SampleRow sample{shard, row, instance.randomNext, relationOf(rules, instance.randomNext), {}};
    for (std::size_t i = 0; i < instance.tokens.size(); ++i)
        sample.tokens.push_back(
            {vocabulary.piece(instance.tokens[i]), {}, i >= instance.firstSegment ? 1 : 0});
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i)
        sample.tokens[static_cast<std::size_t>(instance.maskedPositions[i])].original =
            vocabulary.piece(instance.maskedIds[i]);
    return sample;
}

std::string toText(const SampleRow& sample)
{
    std::string text = fmt::format("{}, row {}{}{}\n ", sample.shard, sample.row,
                                   sample.relation.empty() ? "" : ": ", sample.relation);
    for (const SampleRow::Token& token : sample.tokens) {
        if (!token.original.empty())
            text += fmt::format(" {{{} -> {}}}", token.original, token.text);
        else if (token.text.starts_with("##"))
            text += token.text.substr(2);
        else
            text += " " + token.text;
    }
    return text + "\n";
}

} // namespace trainyard
