#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard {

/// Consecutive rows of a shard, one vector per column, row-major. A row is one masked sentence pair:
///     inputIds         [rows, sequenceLength]  [CLS] A [SEP] B [SEP], masked, then 0
///     inputMask        [rows, sequenceLength]  1 on the real tokens, which come first
///     segmentIds       [rows, sequenceLength]  1 on "B [SEP]", else 0
///     maskedPositions  [rows, maxPredictions]  strictly ascending, then 0 (position 0 is [CLS] and never
///     masked) maskedIds        [rows, maxPredictions]  the tokens that were there, then 0 nextSentenceLabels
///     [rows]                0 = B follows A, 1 = B comes from another document
struct RowBlock {
    int sequenceLength = 0;
    int maxPredictions = 0;
    std::size_t rows = 0;
    std::vector<std::int32_t> inputIds;
    std::vector<std::int8_t> inputMask;
    std::vector<std::int8_t> segmentIds;
    std::vector<std::int32_t> maskedPositions;
    std::vector<std::int32_t> maskedIds;
    std::vector<std::int8_t> nextSentenceLabels;

    RowBlock() = default;
    RowBlock(int sequenceLength, int maxPredictions);

    /// Makes room for `count` rows; new rows are all zero, earlier ones keep their content.
    void resize(std::size_t count);
    void clear() { resize(0); }
};

} // namespace trainyard
