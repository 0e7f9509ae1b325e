#include "datasets/tasks/task_rows.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

namespace {

void addTokens(std::vector<std::int32_t>& tokens, std::span<const std::int32_t> more)
{
    tokens.insert(tokens.end(), more.begin(), more.end());
}

} // namespace

TaskRow textRow(const RowFrame& frame, std::span<const std::int32_t> a)
{
    TaskRow row;
    addTokens(row.tokens, frame.before);
    addTokens(row.tokens, a);
    addTokens(row.tokens, frame.behind);
    row.firstSegment = row.tokens.size();
    return row;
}

TaskRow pairRow(const RowFrame& frame, std::span<const std::int32_t> a, std::span<const std::int32_t> b)
{
    TaskRow row;
    addTokens(row.tokens, frame.pairBefore);
    addTokens(row.tokens, a);
    row.firstSegment = row.tokens.size() + frame.betweenOfFirst.value_or(0);
    addTokens(row.tokens, frame.between);
    row.secondText = row.tokens.size();
    addTokens(row.tokens, b);
    addTokens(row.tokens, frame.pairBehind);
    if (!frame.betweenOfFirst)
        row.firstSegment = row.tokens.size();
    return row;
}

TaskRow answerRow(const RowFrame& frame, std::span<const std::int32_t> question,
                  std::span<const AlignedPiece> context)
{
    std::vector<std::int32_t> ids;
    for (const AlignedPiece& piece : context)
        ids.push_back(piece.id);
    TaskRow row = pairRow(frame, question, ids);
    row.tokenBegins.assign(row.tokens.size(), -1);
    row.tokenEnds.assign(row.tokens.size(), -1);
    for (std::size_t i = 0; i < context.size(); ++i) {
        row.tokenBegins[row.secondText + i] = static_cast<std::int32_t>(context[i].begin);
        row.tokenEnds[row.secondText + i] = static_cast<std::int32_t>(context[i].end);
    }
    return row;
}

std::vector<PieceRange> contextWindows(std::size_t pieces, std::size_t room, std::size_t shared)
{
    TRAINYARD_CHECK(room > 0);
    std::vector<PieceRange> windows;
    for (std::size_t begin = 0;;) {
        const std::size_t end = std::min(begin + room, pieces);
        windows.push_back({begin, end});
        if (end == pieces)
            return windows;
        begin = end - std::min(shared, room / 2);
    }
}

} // namespace trainyard
