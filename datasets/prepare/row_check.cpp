#include "datasets/prepare/row_check.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "datasets/pretraining/masking.h"

namespace trainyard {

namespace {

/// One row's columns.
struct Row {
    std::span<const std::int32_t> ids;
    std::span<const std::int8_t> mask;
    std::span<const std::int8_t> segments;
    std::span<const std::int32_t> positions;
    std::span<const std::int32_t> masked;
    std::int8_t label;

    Row(const RowBlock& rows, std::size_t row)
        : ids(part(rows.inputIds, row, rows.sequenceLength))
        , mask(part(rows.inputMask, row, rows.sequenceLength))
        , segments(part(rows.segmentIds, row, rows.sequenceLength))
        , positions(part(rows.maskedPositions, row, rows.maxPredictions))
        , masked(part(rows.maskedIds, row, rows.maxPredictions))
        , label(rows.nextSentenceLabels[row])
    {
    }

private:
    template <typename Value>
    static std::span<const Value> part(const std::vector<Value>& column, std::size_t row, int width)
    {
        const auto size = static_cast<std::size_t>(width);
        return std::span(column).subspan(row * size, size);
    }
};

using Problem = std::optional<Violation>;

Problem broken(Invariant invariant, std::string problem)
{
    return Violation{invariant, {}, std::nullopt, std::move(problem)};
}

template <typename Values>
bool allZero(const Values& values)
{
    return std::all_of(values.begin(), values.end(), [](auto value) { return value == 0; });
}

Problem checkPadding(const Row& row, std::size_t vocabularySize, Instance& out)
{
    const auto length =
        static_cast<std::size_t>(std::find(row.mask.begin(), row.mask.end(), 0) - row.mask.begin());
    const bool ones = std::all_of(row.mask.begin(), row.mask.begin() + static_cast<std::ptrdiff_t>(length),
                                  [](auto m) { return m == 1; });
    if (!ones || !allZero(row.mask.subspan(length)))
        return broken(Invariant::Padding, "input_mask is not ones followed by zeros");
    if (length < 5)
        return broken(Invariant::Padding,
                      fmt::format("the row has {} tokens, the shortest pair has 5", length));
    if (!allZero(row.ids.subspan(length)) || !allZero(row.segments.subspan(length)))
        return broken(Invariant::Padding, "input_ids or segment_ids go on after the padding begins");
    for (const std::int32_t id : row.ids) {
        if (id < 0 || static_cast<std::size_t>(id) >= vocabularySize)
            return broken(Invariant::Padding,
                          fmt::format("the id {} is not in the vocabulary of {} pieces", id, vocabularySize));
    }
    out.tokens.assign(row.ids.begin(), row.ids.begin() + static_cast<std::ptrdiff_t>(length));
    return std::nullopt;
}

/// Positions and original tokens; that they hit no special token shows when the row is unmasked.
Problem checkPredictions(const Row& row, std::size_t vocabularySize, double maskedShare, Instance& out)
{
    InstanceSettings settings;
    settings.maxPredictions = static_cast<int>(row.positions.size());
    settings.maskedShare = maskedShare;
    const auto count = static_cast<std::size_t>(std::find(row.positions.begin(), row.positions.end(), 0) -
                                                row.positions.begin());
    const auto expected = std::min<std::size_t>(
        static_cast<std::size_t>(predictionsFor(out.tokens.size(), settings)), out.tokens.size() - 3);
    if (count != expected)
        return broken(Invariant::Predictions, fmt::format("{} positions to predict in {} tokens, expected {}",
                                                          count, out.tokens.size(), expected));
    if (!allZero(row.positions.subspan(count)) || !allZero(row.masked.subspan(count)))
        return broken(Invariant::Predictions,
                      "masked_lm_positions or masked_lm_ids go on after their padding begins");
    std::int32_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (row.positions[i] <= last || static_cast<std::size_t>(row.positions[i]) >= out.tokens.size())
            return broken(Invariant::Predictions, fmt::format("position {} after position {} in {} tokens",
                                                              row.positions[i], last, out.tokens.size()));
        if (row.masked[i] < 0 || static_cast<std::size_t>(row.masked[i]) >= vocabularySize)
            return broken(Invariant::Predictions,
                          fmt::format("the masked id {} is not in the vocabulary", row.masked[i]));
        last = row.positions[i];
    }
    out.maskedPositions.assign(row.positions.begin(),
                               row.positions.begin() + static_cast<std::ptrdiff_t>(count));
    out.maskedIds.assign(row.masked.begin(), row.masked.begin() + static_cast<std::ptrdiff_t>(count));
    return std::nullopt;
}

Problem checkSpecialTokens(Instance& out, const Vocabulary& vocabulary)
{
    const SpecialTokens& special = vocabulary.special();
    std::vector<std::int32_t> plain = out.tokens;
    for (std::size_t i = 0; i < out.maskedIds.size(); ++i) {
        const std::int32_t original = out.maskedIds[i];
        if (original == special.classify || original == special.separator || original == special.mask ||
            original == special.pad)
            return broken(Invariant::Predictions,
                          fmt::format("position {} predicts the special token {}", out.maskedPositions[i],
                                      vocabulary.piece(original)));
        plain[static_cast<std::size_t>(out.maskedPositions[i])] = original;
    }
    if (plain.front() != special.classify || plain.back() != special.separator)
        return broken(Invariant::SpecialTokens, "the row does not start with [CLS] and end with [SEP]");
    std::vector<std::size_t> separators;
    for (std::size_t i = 1; i < plain.size(); ++i) {
        if (plain[i] == special.separator)
            separators.push_back(i);
        else if (plain[i] == special.classify || plain[i] == special.mask || plain[i] == special.pad)
            return broken(Invariant::SpecialTokens,
                          fmt::format("{} stands at position {}", vocabulary.piece(plain[i]), i));
    }
    if (separators.size() != 2)
        return broken(Invariant::SpecialTokens, fmt::format("{} [SEP] instead of 2", separators.size()));
    if (separators[0] == 1 || separators[1] == separators[0] + 1)
        return broken(Invariant::SpecialTokens, "one side of the pair is empty");
    out.firstSegment = static_cast<std::uint32_t>(separators[0]) + 1;
    return std::nullopt;
}

Problem checkSegments(const Row& row, const Instance& out)
{
    for (std::size_t i = 0; i < out.tokens.size(); ++i) {
        if (row.segments[i] != (i >= out.firstSegment ? 1 : 0))
            return broken(Invariant::Segments, fmt::format("segment_ids is {} at position {}; B starts at {}",
                                                           row.segments[i], i, out.firstSegment));
    }
    return std::nullopt;
}

} // namespace

std::optional<Violation> checkRow(const RowBlock& rows, std::size_t index, const Vocabulary& vocabulary,
                                  double maskedShare, Instance& out)
{
    const Row row(rows, index);
    if (auto problem = checkPadding(row, vocabulary.size(), out))
        return problem;
    if (auto problem = checkPredictions(row, vocabulary.size(), maskedShare, out))
        return problem;
    if (auto problem = checkSpecialTokens(out, vocabulary))
        return problem;
    if (auto problem = checkSegments(row, out))
        return problem;
    if (row.label != 0 && row.label != 1)
        return broken(Invariant::RandomNext, fmt::format("next_sentence_labels is {}", row.label));
    out.randomNext = row.label == 1;
    out.singleSentence = false;
    return std::nullopt;
}

} // namespace trainyard
