#include "app/series/pixel_columns.h"

#include <cmath>

namespace trainyard {

namespace {

/// Of a pixel's rows; with longer stretches an edge would move by more than 0.4 pixels.
constexpr double kMaxStretch = 0.8;

constexpr qsizetype kChunksAhead = 4; ///< their summaries lie apart in memory, and fetching one takes long

/// Rows of the stretches at whose ends pixels of `rowsPerPixel` rows begin and end.
qsizetype strideFor(qsizetype rowsPerPixel)
{
    qsizetype stride = 1;
    for (const qsizetype rows : kLevelRows) {
        if (double(rows) <= kMaxStretch * double(rowsPerPixel))
            stride = rows;
    }
    return stride;
}

/// The stretches that a longer one consists of.
qsizetype finerThan(qsizetype stride)
{
    return stride == kLevelRows[1] ? kLevelRows[0] : 1;
}

/// Finds where pixels end in an ascending column, from the left to the right: at the end of a stretch, as
/// long as stretches are shorter than pixels.
class EdgeSearch {
public:
    EdgeSearch(const SeriesColumn& x, qsizetype stride) : m_x(x), m_stride(stride) {}

    /// The end of a stretch that is nearest to the first row, of rows [from, to), that is not below `value`.
    /// `width` is that of a pixel there; `guess` is tried first: steps and times are mostly even.
    qsizetype find(double value, double width, qsizetype from, qsizetype to, qsizetype guess)
    {
        qsizetype stride = m_stride;
        qsizetype stretch = search(value, stride, from, to, guess);
        while (stride > 1 && stretch * stride < to && widthOf(stretch, stride) > kMaxStretch * width) {
            const qsizetype begin = std::max(from, stretch * stride);
            const qsizetype end = std::min(to, (stretch + 1) * stride);
            stride = finerThan(stride);
            stretch = search(value, stride, begin, end, begin);
        }
        const bool endIsNearer = stride > 1 && stretch * stride < to && middleOf(stretch, stride) < value;
        return std::clamp((stretch + (endIsNearer ? 1 : 0)) * stride, from, to);
    }

private:
    /// The first stretch that has rows of [from, to) and does not lie below `value` altogether.
    qsizetype search(double value, qsizetype stride, qsizetype from, qsizetype to, qsizetype guess)
    {
        qsizetype low = from / stride;
        qsizetype high = (to + stride - 1) / stride;
        const qsizetype first = guess / stride;
        for (const qsizetype probe : {first - 1, first, first + 1}) {
            if (probe < low || probe >= high)
                continue;
            if (newestOf(probe, stride) < value)
                low = probe + 1;
            else
                high = probe;
        }
        while (low < high) {
            const qsizetype middle = low + (high - low) / 2;
            if (newestOf(middle, stride) < value)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    double widthOf(qsizetype stretch, qsizetype stride)
    {
        return newestOf(stretch, stride) - (stretch > 0 ? newestOf(stretch - 1, stride) : m_x.first());
    }

    double newestOf(qsizetype stretch, qsizetype stride)
    {
        if (stride == 1)
            return m_x[stretch];
        const qsizetype row = stretch * stride;
        lookInto(row / kChunkRows);
        return m_chunk.levels[stride == kLevelRows[0] ? 0 : 1].last[row % kChunkRows / stride];
    }

    double middleOf(qsizetype stretch, qsizetype stride)
    {
        const qsizetype row = std::min(stretch * stride + stride / 2, m_x.size() - 1);
        if (stride == kLevelRows[0])
            return m_x[row];
        lookInto(row / kChunkRows);
        return m_chunk.levels[0].last[row % kChunkRows / kLevelRows[0]];
    }

    void lookInto(qsizetype chunk)
    {
        if (chunk == m_index)
            return;
        m_index = chunk;
        m_chunk = m_x.chunk(chunk);
    }

    const SeriesColumn& m_x;
    qsizetype m_stride;     ///< where rows are as dense as they are on average
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
    EdgeSearch search(x, strideFor((end - first) / pixels));
    std::vector<qsizetype> rows{first};
    rows.reserve(edges.size());
    for (qsizetype i = 1; i < pixels; ++i) {
        const qsizetype before = rows.back();
        const qsizetype guess = before + (end - before) / (pixels - i + 1);
        const double width = edges[std::size_t(i)] - edges[std::size_t(i) - 1];
        rows.push_back(search.find(edges[std::size_t(i)], width, before, end, guess));
    }
    rows.push_back(end);
    return rows;
}

std::vector<ValueSummary> pixelColumns(const SeriesColumn& y, const std::vector<qsizetype>& rows)
{
    std::vector<ValueSummary> columns;
    columns.reserve(rows.size() - 1);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        if (i == 0 || rows[i] / kChunkRows != rows[i - 1] / kChunkRows)
            y.prefetch(rows[i] / kChunkRows + kChunksAhead);
        columns.push_back(y.summary(rows[i], rows[i + 1]));
    }
    return columns;
}

} // namespace trainyard
