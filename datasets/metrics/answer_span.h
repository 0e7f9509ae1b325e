#pragma once

#include <cstdint>
#include <span>

namespace trainyard {

/// An answer as a model marks it in one row of a question's context.
struct AnswerSpan {
    bool isThere = false;   ///< false: the row has no token of the context
    double score = 0;       ///< logit of the first token + that of the last one
    std::int32_t begin = 0; ///< bytes of the context
    std::int32_t end = 0;
    double noAnswer = 0; ///< the same score of the row's first token, [CLS]: that it has no answer
};

/// An answer has at most so many tokens, as in run_squad.py of google-research/bert and Hugging Face's
/// run_qa.py.
constexpr std::size_t kMaxAnswerTokens = 30;

/// The span of context tokens with the best score, first before last, of equal ones the first (Devlin et al.,
/// arXiv:1810.04805, section 4.2). All spans compete, where those scripts look at the 20 best first and last
/// tokens. `firsts`, `lasts`: logits of each token of the row. `begins`, `ends`: bytes of the context that a
/// token stands for, -1 of other tokens. All of one size.
AnswerSpan bestSpan(std::span<const double> firsts, std::span<const double> lasts,
                    std::span<const std::int32_t> begins, std::span<const std::int32_t> ends);

} // namespace trainyard
