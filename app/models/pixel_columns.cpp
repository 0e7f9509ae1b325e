#include "app/models/pixel_columns.h"

#include <cmath>

namespace trainyard {

namespace {

constexpr qsizetype kStretchesPerPixel =
    16; ///< pixels begin and end with whole stretches if they have as many

/// Rows of the coarsest stretches that a pixel of `rowsPerPixel` rows is made of.
qsizetype strideFor(qsizetype rowsPerPixel)
{
    qsizetype stride = 1;
    for (const qsizetype rows : kLevelRows) {
        if (rowsPerPixel >= rows * kStretchesPerPixel)
            stride = rows;
    }
    return stride;
}

/// Finds rows of an ascending column in stretches of a fixed length, from the left to the right.
class StretchSearch {
public:
    StretchSearch(const SeriesColumn& x, qsizetype stride) : m_x(x), m_stride(stride) {}

    /// First row of the first stretch, from `from` on, that does not lie below `value` altogether. `guess`
    /// is tried first: steps and times are mostly even.
    qsizetype find(double value, qsizetype from, qsizetype to, qsizetype guess)
    {
        qsizetype low = from / m_stride;
        qsizetype high = (to + m_stride - 1) / m_stride;
        const qsizetype first = guess / m_stride;
        for (const qsizetype probe : {first - 1, first, first + 1}) {
            if (probe < low || probe >= high)
                continue;
            if (newestOf(probe) < value)
                low = probe + 1;
            else
                high = probe;
        }
        while (low < high) {
            const qsizetype middle = low + (high - low) / 2;
            if (newestOf(middle) < value)
                low = middle + 1;
            else
                high = middle;
        }
        return std::clamp(low * m_stride, from, to);
    }

private:
    double newestOf(qsizetype stretch)
    {
        if (m_stride == 1)
            return m_x[stretch];
        const qsizetype row = stretch * m_stride;
        if (row / kChunkRows != m_index) {
            m_index = row / kChunkRows;
            m_chunk = m_x.chunk(m_index);
        }
        return m_chunk.levels[m_stride == kLevelRows[0] ? 0 : 1].last[row % kChunkRows / m_stride];
    }

    const SeriesColumn& m_x;
    qsizetype m_stride;
    qsizetype m_index = -1; ///< of the chunk that was looked into last
    ChunkView m_chunk;
};

} // namespace

PixelEdges pixelEdges(double from, double to, int pixels, bool logarithmic)
{
    const double first = logarithmic ? std::log(from) : from;
    const double width = ((logarithmic ? std::log(to) : to) - first) / pixels;
    PixelEdges edges;
    edges.reserve(std::size_t(pixels) + 1);
    for (int i = 0; i < pixels; ++i)
        edges.push_back(logarithmic ? std::exp(first + i * width) : first + i * width);
    edges.push_back(to);
    return edges;
}

std::vector<qsizetype> pixelRows(const SeriesColumn& x, const PixelEdges& edges)
{
    const qsizetype first = x.lowerBound(edges.front());
    const qsizetype end = std::max(first, x.upperBound(edges.back()));
    const auto pixels = qsizetype(edges.size()) - 1;
    StretchSearch search(x, strideFor((end - first) / pixels));
    std::vector<qsizetype> rows{first};
    rows.reserve(edges.size());
    for (qsizetype i = 1; i < pixels; ++i) {
        const qsizetype before = rows.back();
        const qsizetype guess = before + (end - before) / (pixels - i + 1);
        rows.push_back(search.find(edges[std::size_t(i)], before, end, guess));
    }
    rows.push_back(end);
    return rows;
}

std::vector<ValueSummary> pixelColumns(const SeriesColumn& y, const std::vector<qsizetype>& rows)
{
    std::vector<ValueSummary> columns;
    columns.reserve(rows.size() - 1);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i)
        columns.push_back(y.summary(rows[i], rows[i + 1]));
    return columns;
}

} // namespace trainyard
