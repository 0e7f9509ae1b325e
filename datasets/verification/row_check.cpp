#include "datasets/verification/row_check.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace trainyard {

/// One row's columns.
struct RowChecker::Row {
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

namespace {

std::optional<Violation> broken(Invariant invariant, std::string problem)
{
    return Violation{invariant, {}, std::nullopt, std::move(problem)};
}

template <typename Values>
bool allZero(const Values& values)
{
    return std::all_of(values.begin(), values.end(), [](auto value) { return value == 0; });
}

std::optional<Violation> checkSegments(std::span<const std::int8_t> segments, const Instance& out)
{
    for (std::size_t i = 0; i < out.tokens.size(); ++i) {
        if (segments[i] != (i >= out.firstSegment ? 1 : 0))
            return broken(Invariant::Segments, fmt::format("segment_ids is {} at position {}; B starts at {}",
                                                           segments[i], i, out.firstSegment));
    }
    return std::nullopt;
}

/// Returns whether B matches the label.
const char* sidesProblem(const RowRules& rules, bool label, bool sameDocument, std::int64_t first,
                         std::int64_t second)
{
    if (rules.objective == Objective::Masked)
        return sameDocument && first == second ? nullptr : "the row has one side but positions for two";
    if (!rules.randomPairs() && !sameDocument)
        return "A and B come from different documents";
    if (rules.randomPairs() && label)
        return sameDocument && rules.uniqueIds ? "the label is 1, but B comes from the same document as A"
                                               : nullptr;
    if (!sameDocument)
        return "the label is 0, but B comes from another document";
    if (label)
        return second < first ? nullptr : "the label is 1, but B does not come before A";
    return second > first ? nullptr : "the label is 0, but B does not come after A";
}

std::optional<Violation> checkSides(const RowBlock& rows, std::size_t row, const RowRules& rules, bool label)
{
    const std::int64_t first = rows.sentenceA[row], second = rows.sentenceB[row];
    const bool sameDocument = rows.documentA[row] == rows.documentB[row];
    const char* const problem = first < 0 || second < 0
                                    ? "sent_a or sent_b is negative"
                                    : sidesProblem(rules, label, sameDocument, first, second);
    if (!problem)
        return std::nullopt;
    return broken(Invariant::NextSentences,
                  fmt::format("{} (documents {} and {}, sentences {} and {})", problem, rows.documentA[row],
                              rows.documentB[row], first, second));
}

} // namespace

RowChecker::RowChecker(const Vocabulary& vocabulary, const RowRules& rules)
    : m_vocabulary(vocabulary), m_rules(rules)
{
}

std::optional<Violation> RowChecker::check(const RowBlock& rows, std::size_t index, Instance& out)
{
    const Row row(rows, index);
    if (auto problem = checkPadding(row, out))
        return problem;
    if (auto problem = checkPredictions(row, out))
        return problem;
    if (auto problem = unmask(out))
        return problem;
    if (auto problem = m_rules.masks() ? checkSpecialTokens(out) : checkText())
        return problem;
    if (auto problem = m_rules.wholeWords ? checkWholeWords(out) : std::nullopt)
        return problem;
    if (!m_rules.masks())
        out.firstSegment = static_cast<std::uint32_t>(out.tokens.size());
    if (auto problem = checkSegments(row.segments, out))
        return problem;
    if (row.label != 0 && row.label != 1)
        return broken(Invariant::RandomNext, fmt::format("next_sentence_labels is {}", row.label));
    out.randomNext = row.label == 1;
    out.singleSentence = false;
    return m_rules.provenance ? checkSides(rows, index, m_rules, out.randomNext) : std::nullopt;
}

RowChecker::Problem RowChecker::checkPadding(const Row& row, Instance& out) const
{
    const auto length =
        static_cast<std::size_t>(std::find(row.mask.begin(), row.mask.end(), 0) - row.mask.begin());
    const bool ones = std::all_of(row.mask.begin(), row.mask.begin() + static_cast<std::ptrdiff_t>(length),
                                  [](auto m) { return m == 1; });
    if (!ones || !allZero(row.mask.subspan(length)))
        return broken(Invariant::Padding, "input_mask is not ones followed by zeros");
    const std::size_t shortest = m_rules.objective == Objective::Bert ? 5 : 3;
    if (length < shortest)
        return broken(Invariant::Padding,
                      fmt::format("the row has {} tokens, the minimum is {}", length, shortest));
    if (!allZero(row.ids.subspan(length)) || !allZero(row.segments.subspan(length)))
        return broken(Invariant::Padding, "input_ids or segment_ids are not zero in the padding");
    if (auto problem = checkIds(row))
        return problem;
    out.tokens.assign(row.ids.begin(), row.ids.begin() + static_cast<std::ptrdiff_t>(length));
    return std::nullopt;
}

RowChecker::Problem RowChecker::checkIds(const Row& row) const
{
    for (const std::int32_t id : row.ids) {
        if (id < 0 || static_cast<std::size_t>(id) >= m_vocabulary.size())
            return broken(Invariant::Padding, fmt::format("the id {} is not in the vocabulary of {} pieces",
                                                          id, m_vocabulary.size()));
    }
    return std::nullopt;
}

/// With whole words fewer may fit; checkWholeWords() sees whether more would have.
RowChecker::Problem RowChecker::checkCount(const Row& row, std::size_t count, std::size_t length)
{
    InstanceSettings settings;
    settings.maxPredictions = static_cast<int>(row.positions.size());
    settings.maskedShare = m_rules.maskedShare;
    const std::size_t special = m_rules.objective == Objective::Bert ? 3 : 2;
    const auto expected =
        std::min<std::size_t>(static_cast<std::size_t>(predictionsFor(length, settings)), length - special);
    m_left = expected - std::min(count, expected);
    if (count == expected || (m_rules.wholeWords && count < expected))
        return std::nullopt;
    return broken(Invariant::Predictions,
                  fmt::format("{} positions to predict in {} tokens, expected {}", count, length, expected));
}

/// Positions and original tokens; that they hit no special token shows when the row is unmasked.
RowChecker::Problem RowChecker::checkPredictions(const Row& row, Instance& out)
{
    const auto count = static_cast<std::size_t>(std::find(row.positions.begin(), row.positions.end(), 0) -
                                                row.positions.begin());
    if (auto problem = m_rules.masks() ? checkCount(row, count, out.tokens.size()) : std::nullopt)
        return problem;
    if (!allZero(row.positions.subspan(count)) || !allZero(row.masked.subspan(count)))
        return broken(Invariant::Predictions,
                      "masked_lm_positions or masked_lm_ids are not zero in their padding");
    std::int32_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (row.positions[i] <= last || static_cast<std::size_t>(row.positions[i]) >= out.tokens.size())
            return broken(Invariant::Predictions, fmt::format("position {} after position {} in {} tokens",
                                                              row.positions[i], last, out.tokens.size()));
        if (row.masked[i] < 0 || static_cast<std::size_t>(row.masked[i]) >= m_vocabulary.size())
            return broken(Invariant::Predictions,
                          fmt::format("the masked id {} is not in the vocabulary", row.masked[i]));
        last = row.positions[i];
    }
    const auto end = static_cast<std::ptrdiff_t>(count);
    out.maskedPositions.assign(row.positions.begin(), row.positions.begin() + end);
    out.maskedIds.assign(row.masked.begin(), row.masked.begin() + end);
    return std::nullopt;
}

/// Never the id of a token of text; [SEP] and the end of a document have their own rules.
bool RowChecker::isReserved(std::int32_t id) const
{
    const SpecialTokens& special = m_vocabulary.special();
    return id == special.classify || id == special.mask || id == special.pad;
}

RowChecker::Problem RowChecker::unmask(const Instance& masked)
{
    m_plain = masked.tokens;
    for (std::size_t i = 0; i < masked.maskedIds.size(); ++i) {
        const std::int32_t original = masked.maskedIds[i];
        if (isReserved(original) || original == m_vocabulary.special().separator)
            return broken(Invariant::Predictions,
                          fmt::format("position {} predicts the special token {}", masked.maskedPositions[i],
                                      m_vocabulary.piece(original)));
        m_plain[static_cast<std::size_t>(masked.maskedPositions[i])] = original;
    }
    return std::nullopt;
}

RowChecker::Problem RowChecker::checkSpecialTokens(Instance& out) const
{
    const SpecialTokens& special = m_vocabulary.special();
    if (m_plain.front() != special.classify || m_plain.back() != special.separator)
        return broken(Invariant::SpecialTokens, "the row does not start with [CLS] and end with [SEP]");
    std::vector<std::size_t> separators;
    for (std::size_t i = 1; i < m_plain.size(); ++i) {
        if (m_plain[i] == special.separator)
            separators.push_back(i);
        else if (isReserved(m_plain[i]))
            return broken(Invariant::SpecialTokens,
                          fmt::format("unexpected {} at position {}", m_vocabulary.piece(m_plain[i]), i));
    }
    const std::size_t sides = m_rules.objective == Objective::Bert ? 2 : 1;
    if (separators.size() != sides)
        return broken(Invariant::SpecialTokens,
                      fmt::format("{} [SEP] instead of {}", separators.size(), sides));
    if (separators[0] == 1 || (sides == 2 && separators[1] == separators[0] + 1))
        return broken(Invariant::SpecialTokens, "a side of the row is empty");
    out.firstSegment = static_cast<std::uint32_t>(separators[0]) + 1;
    return std::nullopt;
}

RowChecker::Problem RowChecker::checkText() const
{
    for (std::size_t i = 0; i < m_plain.size(); ++i) {
        if (isReserved(m_plain[i]) && m_plain[i] != m_vocabulary.special().documentEnd)
            return broken(Invariant::SpecialTokens,
                          fmt::format("unexpected {} at position {}", m_vocabulary.piece(m_plain[i]), i));
    }
    return std::nullopt;
}

/// Words are masked as a whole, as many as fit: no unmasked word would fit too.
RowChecker::Problem RowChecker::checkWholeWords(const Instance& out)
{
    findWords(m_plain, out.firstSegment, m_vocabulary, m_starts, m_words);
    const auto isMasked = [&](std::uint32_t position) {
        return std::binary_search(out.maskedPositions.begin(), out.maskedPositions.end(),
                                  static_cast<std::int32_t>(position));
    };
    for (const MaskedUnit& word : m_words) {
        for (std::uint32_t at = word.begin + 1; at < word.end; ++at) {
            if (isMasked(at) != isMasked(word.begin))
                return broken(Invariant::Predictions,
                              fmt::format("the word at positions {} to {} is only partly masked", word.begin,
                                          word.end - 1));
        }
        if (!isMasked(word.begin) && word.size() <= m_left)
            return broken(Invariant::Predictions,
                          fmt::format("the word at position {} has {} pieces and is not masked, and {} more "
                                      "predictions are allowed",
                                      word.begin, word.size(), m_left));
    }
    return std::nullopt;
}

} // namespace trainyard
