#include "datasets/metrics/span_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trainyard {

namespace {

/// Tokens with the highest logits, highest first; of equal ones the earlier.
std::vector<std::size_t> highest(std::span<const double> logits, std::size_t count)
{
    std::vector<std::size_t> tokens(logits.size());
    std::iota(tokens.begin(), tokens.end(), std::size_t(0));
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(std::min(count, tokens.size()));
    std::partial_sort(tokens.begin(), end, tokens.end(), [&](std::size_t a, std::size_t b) {
        return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
    });
    tokens.erase(end, tokens.end());
    return tokens;
}

bool isOfContext(const ScoredRow& row, std::size_t token)
{
    return row.tokenBegins[token] >= 0;
}

void addSpans(const ScoredRow& row, const SpanSearch& search, std::vector<FoundSpan>& spans)
{
    const std::vector<std::size_t> ends = highest(row.ends, search.best);
    for (const std::size_t first : highest(row.starts, search.best)) {
        for (const std::size_t last : ends) {
            const bool isSpan = last >= first && last - first < search.maxTokens;
            if (isSpan && isOfContext(row, first) && isOfContext(row, last))
                spans.push_back({true, static_cast<std::size_t>(row.tokenBegins[first]),
                                 static_cast<std::size_t>(row.tokenEnds[last]),
                                 row.starts[first] + row.ends[last]});
        }
    }
}

/// A row of a long context that lacks the answer says nothing about the others: the lowest score counts.
FoundSpan noAnswer(std::span<const ScoredRow> rows)
{
    double lowest = std::numeric_limits<double>::infinity();
    for (const ScoredRow& row : rows)
        lowest = std::min(lowest, row.starts.front() + row.ends.front());
    return {false, 0, 0, lowest};
}

/// Rows share tokens, and several pieces may stand for the same bytes.
void dropRepeated(std::vector<FoundSpan>& spans)
{
    std::vector<FoundSpan> once;
    for (const FoundSpan& span : spans) {
        const bool isKnown = std::ranges::any_of(once, [&](const FoundSpan& other) {
            return other.isAnswer == span.isAnswer && other.begin == span.begin && other.end == span.end;
        });
        if (!isKnown)
            once.push_back(span);
    }
    spans = std::move(once);
}

/// `spans` in the order of their scores. That there is no answer stays, whatever its score is.
void keepBest(std::vector<FoundSpan>& spans, std::size_t count)
{
    if (spans.size() <= count)
        return;
    const auto none = std::ranges::find(spans, false, &FoundSpan::isAnswer);
    if (none != spans.end() && none - spans.begin() >= static_cast<std::ptrdiff_t>(count))
        spans[count - 1] = *none;
    spans.resize(count);
}

void setProbabilities(std::vector<FoundSpan>& spans)
{
    double sum = 0;
    for (FoundSpan& span : spans) {
        span.probability = std::exp(span.score - spans.front().score);
        sum += span.probability;
    }
    for (FoundSpan& span : spans)
        span.probability /= sum;
}

} // namespace

std::vector<FoundSpan> bestSpans(std::span<const ScoredRow> rows, const SpanSearch& search)
{
    std::vector<FoundSpan> spans;
    for (const ScoredRow& row : rows)
        addSpans(row, search, spans);
    if (search.allowsNoAnswer && !rows.empty())
        spans.push_back(noAnswer(rows));
    std::ranges::stable_sort(spans, std::ranges::greater(), &FoundSpan::score);
    dropRepeated(spans);
    keepBest(spans, search.best);
    setProbabilities(spans);
    return spans;
}

} // namespace trainyard
