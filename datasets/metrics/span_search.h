#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// How spans are searched, as run_squad.py of BERT (Devlin et al., arXiv:1810.04805) and Hugging Face's
/// utils_qa.py do it.
struct SpanSearch {
    std::size_t best = 20;       ///< starts, ends, and spans that are kept
    std::size_t maxTokens = 30;  ///< of an answer
    bool allowsNoAnswer = false; ///< as in SQuAD 2.0: the context may lack it
};

/// What a model says about one row "[CLS] question [SEP] context [SEP]". All views are as long as the row.
struct ScoredRow {
    std::span<const double> starts; ///< logit of each token as the first one of the answer
    std::span<const double> ends;   ///< likewise as the last one
    /// Bytes of the context that each token stands for; -1: it is none of the context's.
    std::span<const std::int32_t> tokenBegins;
    std::span<const std::int32_t> tokenEnds;
};

/// A part of the context, or that it has no answer.
struct FoundSpan {
    bool isAnswer = true;
    std::size_t begin = 0;  ///< byte of the context
    std::size_t end = 0;    ///< behind the last one
    double score = 0;       ///< sum of the logits of first and last token
    double probability = 0; ///< softmax of the scores of all spans that were found

    bool operator==(const FoundSpan&) const = default;
};

/// The spans of a context with the highest scores, highest first, each once, out of all rows that it was cut
/// into; at most SpanSearch::best, and with allowsNoAnswer among them that there is none. Its score is that
/// of [CLS], the lowest one of the rows. Empty if no row has a token of the context and it may not lack the
/// answer.
std::vector<FoundSpan> bestSpans(std::span<const ScoredRow> rows, const SpanSearch& search);

} // namespace trainyard
