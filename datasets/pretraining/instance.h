#pragma once

#include <cstdint>
#include <vector>

#include "datasets/options/instance_settings.h"

namespace trainyard {

/// A sentence: its document's ordinal in the dump and its number there, both from 0.
struct SentencePlace {
    std::uint32_t document = 0;
    std::uint32_t sentence = 0;
};

/// One training example: [CLS] A [SEP] B [SEP], or [CLS] A [SEP], with some tokens masked.
struct Instance {
    std::vector<std::int32_t> tokens;          ///< as the model sees them
    std::uint32_t firstSegment = 0;            ///< tokens of "[CLS] A [SEP]"
    bool randomNext = false;                   ///< the label: B comes from another document, or before A
    bool singleSentence = false;               ///< the chunk had one sentence, so B had to be random
    std::vector<std::int32_t> maskedPositions; ///< ascending
    std::vector<std::int32_t> maskedIds;       ///< the original tokens at these positions
    std::uint32_t textBytes = 0;               ///< UTF-8 of the text that its tokens were made of
    SentencePlace a;                           ///< A's first sentence, before A was cut to fit
    SentencePlace b;                           ///< first sentence of B; that of A if there is no B

    bool isPair() const { return firstSegment < tokens.size(); }
    /// Number of tokens that may be masked: all but [CLS] and [SEP].
    std::size_t maskable() const { return tokens.size() - (isPair() ? 3 : 2); }
    /// Returns the position of the j-th of them, j < maskable().
    std::size_t maskablePosition(std::size_t j) const { return j + 2 < firstSegment ? j + 1 : j + 2; }
};

struct RowBlock;

/// Appends the instance as one row. Requires that it fits the block's widths.
void appendRow(const Instance& instance, RowBlock& rows);

} // namespace trainyard
