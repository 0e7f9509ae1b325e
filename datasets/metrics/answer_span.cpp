#include "datasets/metrics/answer_span.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

AnswerSpan bestSpan(std::span<const double> firsts, std::span<const double> lasts,
                    std::span<const std::int32_t> begins, std::span<const std::int32_t> ends)
{
    const std::size_t tokens = firsts.size();
    TRAINYARD_CHECK(tokens > 0 && lasts.size() == tokens && begins.size() == tokens && ends.size() == tokens);
    AnswerSpan best{.noAnswer = firsts[0] + lasts[0]};
    for (std::size_t first = 0; first < tokens; ++first) {
        const std::size_t behind = std::min(first + kMaxAnswerTokens, tokens);
        for (std::size_t last = first; last < behind; ++last) {
            if (begins[first] < 0 || begins[last] < 0)
                break; // the context is one run of tokens
            const double score = firsts[first] + lasts[last];
            if (best.isThere && score <= best.score)
                continue;
            best = {true, score, begins[first], ends[last], best.noAnswer};
        }
    }
    return best;
}

} // namespace trainyard
