#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/tokenizer/vocabulary.h"
#include "datasets/tokenizer/wordpiece.h"

namespace trainyard {

/// One row of a data set before it is padded. Which parts it has depends on the task; see RowBlock.
struct TaskRow {
    std::vector<std::int32_t> tokens;
    std::size_t firstSegment = 0; ///< tokens of "[CLS] A [SEP]"; the others are of "B [SEP]"
    std::int32_t label = 0;
    double value = 0;
    std::vector<std::int32_t> tokenLabels;
    std::int32_t start = 0;
    std::int32_t end = 0;
    std::int64_t question = 0;
    std::vector<std::int32_t> tokenBegins;
    std::vector<std::int32_t> tokenEnds;
};

/// Tokens of "[CLS] A [SEP]" and of "[CLS] A [SEP] B [SEP]" that are not of the texts.
inline constexpr std::size_t kSpecialOfText = 2;
inline constexpr std::size_t kSpecialOfPair = 3;

/// A question is cut to as many tokens.
inline constexpr std::size_t kMaxQuestion = 64;

/// Pieces of a context, the last one not included.
struct PieceRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// "[CLS] A [SEP]", without a label.
TaskRow textRow(const SpecialTokens& special, std::span<const std::int32_t> a);
/// "[CLS] A [SEP] B [SEP]", without a label.
TaskRow pairRow(const SpecialTokens& special, std::span<const std::int32_t> a,
                std::span<const std::int32_t> b);
/// "[CLS] question [SEP] context [SEP]", with the bytes of the context that its tokens stand for, without an
/// answer.
TaskRow answerRow(const SpecialTokens& special, std::span<const std::int32_t> question,
                  std::span<const AlignedPiece> context);

/// The parts of a context of `pieces` pieces, each for a row with room for `room` of them. Consecutive ones
/// share `shared` pieces, at most half of the room. One part for an empty context. Requires room.
std::vector<PieceRange> contextWindows(std::size_t pieces, std::size_t room, std::size_t shared);

} // namespace trainyard
