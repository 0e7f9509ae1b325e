#include "engine/nn/parameters/slice_geometry.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

namespace {

// The pieces of a dimension that a rank holds: one of each of the blocks that `rows` consist of.
std::vector<IndexRange> piecesOf(IndexRange rows, int blocks, Share share)
{
    TRAINYARD_CHECK(rows.size() % blocks == 0);
    const std::int64_t block = rows.size() / blocks;
    const IndexRange piece = evenShare(block, share.rank, share.ranks);
    std::vector<IndexRange> pieces;
    for (int b = 0; b < blocks; ++b)
        pieces.push_back({rows.begin + b * block + piece.begin, rows.begin + b * block + piece.end});
    return pieces;
}

} // namespace

IndexRange evenShare(std::int64_t size, int rank, int ranks)
{
    const std::int64_t each = size / ranks;
    const std::int64_t larger = size % ranks;
    const std::int64_t begin = rank * each + std::min<std::int64_t>(rank, larger);
    return {begin, begin + each + (rank < larger ? 1 : 0)};
}

SliceGeometry::SliceGeometry(const ParameterSpec& spec, Share tensor, Share experts) : m_shape(spec.shape)
{
    TRAINYARD_CHECK_MSG(spec.shape.size() == 1 || spec.shape.size() == 2, spec.name);
    const bool isVector = spec.shape.size() == 1;
    const int sharing = spec.isOfExperts ? experts.ranks : 1;
    const IndexRange rows = evenShare(spec.shape[0], spec.isOfExperts ? experts.rank : 0, sharing);
    m_rows = {rows};
    m_columns = {0, isVector ? 1 : spec.shape[1]};
    if (spec.split.dimension == 0) {
        TRAINYARD_CHECK_MSG(spec.split.blocks % sharing == 0, spec.name);
        m_rows = piecesOf(rows, spec.split.blocks / sharing, tensor);
    } else if (spec.split.dimension == 1) {
        TRAINYARD_CHECK_MSG(!isVector && spec.split.blocks == 1, spec.name);
        m_columns = evenShare(spec.shape[1], tensor.rank, tensor.ranks);
        m_shape[1] = m_columns.size();
    }
    m_shape[0] = 0;
    for (const IndexRange& piece : m_rows)
        m_shape[0] += piece.size();
}

IndexRange SliceGeometry::rowsFrom(std::int64_t row) const
{
    for (const IndexRange& rows : m_rows) {
        if (row < rows.size())
            return {rows.begin + row, rows.end};
        row -= rows.size();
    }
    TRAINYARD_CHECK_MSG(false, "a row outside of the slice");
    return {};
}

SliceGeometry::Part SliceGeometry::partAt(std::int64_t row, std::int64_t rows, std::int64_t column,
                                          std::int64_t columns) const
{
    Part part{{{rowsFrom(row).begin}, {rows}}, row * m_columns.size() + column};
    if (m_shape.size() == 2) {
        part.box.begin.push_back(m_columns.begin + column);
        part.box.shape.push_back(columns);
    }
    return part;
}

std::vector<SliceGeometry::Part> SliceGeometry::boxes(std::int64_t first, std::int64_t count) const
{
    const std::int64_t width = m_columns.size();
    std::vector<Part> parts;
    for (const std::int64_t end = first + count; first < end;) {
        const std::int64_t row = first / width;
        const std::int64_t column = first % width;
        const bool wholeRows = column == 0 && end - first >= width;
        const std::int64_t rows = wholeRows ? std::min((end - first) / width, rowsFrom(row).size()) : 1;
        const std::int64_t columns = wholeRows ? width : std::min(end - first, width - column);
        parts.push_back(partAt(row, rows, column, columns));
        first += rows * columns;
    }
    return parts;
}

} // namespace trainyard
