#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/tokenizer/row_frame.h"
#include "datasets/tokenizer/text_encoder.h"

namespace trainyard {

/// One row of a data set before it is padded. Which parts it has depends on the task; see RowBlock.
struct TaskRow {
    std::vector<std::int32_t> tokens;
    std::size_t firstSegment = 0; ///< tokens in segment 0, "[CLS] A [SEP]"; the others are in segment 1
    std::size_t secondText = 0;   ///< place of the first token of B
    std::int32_t label = 0;
    double value = 0;
    std::vector<std::int32_t> tokenLabels;
    std::int32_t start = 0;
    std::int32_t end = 0;
    std::int64_t question = 0;
    std::vector<std::int32_t> tokenBegins;
    std::vector<std::int32_t> tokenEnds;
};

/// A question is cut to as many tokens.
inline constexpr std::size_t kMaxQuestion = 64;

/// Pieces of a context, the last one not included.
struct PieceRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// Rows without a label, with the special tokens of `frame`: "[CLS] A [SEP]", "[CLS] A [SEP] B [SEP]".

TaskRow textRow(const RowFrame& frame, std::span<const std::int32_t> a);
TaskRow pairRow(const RowFrame& frame, std::span<const std::int32_t> a, std::span<const std::int32_t> b);
/// A pair of question and context, with the bytes of the context that its tokens stand for; -1 elsewhere.
TaskRow answerRow(const RowFrame& frame, std::span<const std::int32_t> question,
                  std::span<const AlignedPiece> context);

/// The parts of a context of `pieces` pieces, each for a row with room for `room` of them. Consecutive ones
/// share `shared` pieces, at most half of the room. One part for an empty context. Requires room.
std::vector<PieceRange> contextWindows(std::size_t pieces, std::size_t room, std::size_t shared);

} // namespace trainyard
