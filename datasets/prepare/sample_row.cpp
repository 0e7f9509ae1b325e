#include "datasets/prepare/sample_row.h"

#include <fmt/format.h>

namespace trainyard {

SampleRow decodeRow(const std::string& shard, std::uint64_t row, const Instance& instance,
                    const Vocabulary& vocabulary)
{
    SampleRow sample{shard, row, instance.randomNext, {}};
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
    std::string text = fmt::format("{}, row {}: {}\n ", sample.shard, sample.row,
                                   sample.randomNext ? "B is from another document" : "B follows A");
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
