#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard {

/// Consecutive rows of a shard, one vector per column, row-major. A row is one masked sentence pair:
///     inputIds            [rows, sequenceLength]  [CLS] A [SEP] B [SEP], masked, then 0
///     inputMask           [rows, sequenceLength]  1 on the real tokens, which come first
///     segmentIds          [rows, sequenceLength]  1 on "B [SEP]", else 0
///     maskedPositions     [rows, maxPredictions]  strictly ascending, then 0 (position 0 is [CLS], never
///                                                 masked)
///     maskedIds           [rows, maxPredictions]  the tokens that were there, then 0
///     nextSentenceLabels  [rows]                  0 = B follows A, 1 = it does not
/// Rows of objective "mlm" are "[CLS] A [SEP]" with segments and labels of 0. Rows of objective "gpt" are
/// running text: maxPredictions is 0, shards hold inputIds alone, and the rest says that every token counts.
struct RowBlock {
    int sequenceLength = 0;
    int maxPredictions = 0;
    bool provenance = false; ///< the four columns at the end are present
    std::size_t rows = 0;
    std::vector<std::int32_t> inputIds;
    std::vector<std::int8_t> inputMask;
    std::vector<std::int8_t> segmentIds;
    std::vector<std::int32_t> maskedPositions;
    std::vector<std::int32_t> maskedIds;
    std::vector<std::int8_t> nextSentenceLabels;
    std::vector<std::int64_t> documentA; ///< page id of the document that A comes from
    std::vector<std::int64_t> documentB;
    std::vector<std::int64_t> sentenceA; ///< first sentence of A, counted from 0 in its document
    std::vector<std::int64_t> sentenceB;

    RowBlock() = default;
    RowBlock(int sequenceLength, int maxPredictions, bool provenance = false);

    /// Resizes to `count` rows; new rows are all zero, earlier ones keep their content.
    void resize(std::size_t count);
    void clear() { resize(0); }
};

} // namespace trainyard
