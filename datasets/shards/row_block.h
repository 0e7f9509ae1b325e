#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/spec/run_spec.h"

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
///
/// Rows of a task have labels instead of predictions (taskColumns() lists which):
///     labels              [rows] of classify: the class; else [rows, sequenceLength]: of tag the class of a
///                         word on its first token, of complete the token itself; kNoLabel elsewhere
///     values              [rows] of regress
///     startPositions      [rows] of answer: first and last token of the answer, 0 where it is not in the row
///     endPositions        [rows]
///     questions           [rows] number of the question among those of training or of test rows, from 0
///     tokenBegins         [rows, sequenceLength] bytes of the context that a token stands for; -1 elsewhere
///     tokenEnds           [rows, sequenceLength]
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

    static constexpr std::int32_t kNoLabel = -100; ///< Hugging Face's mark

    TaskKind task = TaskKind::None; ///< its columns are present
    std::vector<std::int32_t> labels;
    std::vector<double> values;
    std::vector<std::int32_t> startPositions;
    std::vector<std::int32_t> endPositions;
    std::vector<std::int64_t> questions;
    std::vector<std::int32_t> tokenBegins;
    std::vector<std::int32_t> tokenEnds;

    RowBlock() = default;
    RowBlock(int sequenceLength, int maxPredictions, bool provenance = false);
    RowBlock(int sequenceLength, TaskKind task);

    /// Resizes to `count` rows; new rows are all zero, earlier ones keep their content.
    void resize(std::size_t count);
    void clear() { resize(0); }
};

} // namespace trainyard
