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

TaskRow textRow(const SpecialTokens& special, std::span<const std::int32_t> a)
{
    TaskRow row;
    row.tokens.push_back(special.classify);
    addTokens(row.tokens, a);
    row.tokens.push_back(special.separator);
    row.firstSegment = row.tokens.size();
    return row;
}

TaskRow pairRow(const SpecialTokens& special, std::span<const std::int32_t> a,
                std::span<const std::int32_t> b)
{
    TaskRow row = textRow(special, a);
    addTokens(row.tokens, b);
    row.tokens.push_back(special.separator);
    return row;
}

TaskRow answerRow(const SpecialTokens& special, std::span<const std::int32_t> question,
                  std::span<const AlignedPiece> context)
{
    TaskRow row = textRow(special, question);
    row.tokenBegins.assign(row.firstSegment, -1);
    row.tokenEnds.assign(row.firstSegment, -1);
    for (const AlignedPiece& piece : context) {
        row.tokens.push_back(piece.id);
        row.tokenBegins.push_back(static_cast<std::int32_t>(piece.begin));
        row.tokenEnds.push_back(static_cast<std::int32_t>(piece.end));
    }
    row.tokens.push_back(special.separator);
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
