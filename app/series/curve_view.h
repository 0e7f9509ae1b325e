#pragma once

#include <vector>

#include "app/series/pixel_columns.h"
#include "app/series/smoothed_series.h"

namespace trainyard {

/// What each pixel of a chart shows of a curve. When the curve has grown, recomputes only the pixels with new
/// points. Call in this order: followPositions(), followValues(), followAverages().
class CurveView {
public:
    /// Requires ascending `x`. `sameEdges`: the edges equal those of the previous call.
    void followPositions(const SeriesColumn& x, const SeriesColumn& y, const PixelEdges& edges,
                         bool sameEdges);
    /// As followPositions(), for a curve with the positions of `other`, which has been updated already.
    void takePositions(const CurveView& other, const SeriesColumn& x, const SeriesColumn& y, bool sameEdges);
    void followValues();
    /// `average` is that of the curve.
    void followAverages(const SmoothedSeries& average);
    void dropAverages() { m_averages.clear(); }

    /// See pixelRows().
    const std::vector<qsizetype>& rows() const { return m_rows; }
    const std::vector<ValueSummary>& columns() const { return m_columns; }
    const std::vector<ValueSummary>& averages() const { return m_averages; }
    qsizetype count() const { return m_rows.back() - m_rows.front(); } ///< points in view
    /// The first pixel that may have changed: of the values, and of their average.
    std::size_t changedFrom() const { return m_changedFrom; }
    std::size_t averageChangedFrom() const { return m_averageChangedFrom; }

private:
    std::size_t firstChange(const SeriesColumn& x, const SeriesColumn& y, std::size_t pixels) const;
    /// Rows of the pixels from `first` on.
    std::vector<qsizetype> rowsFrom(std::size_t first) const;

    SeriesColumn m_x;
    SeriesColumn m_y;
    std::vector<qsizetype> m_rows;
    std::vector<ValueSummary> m_columns;
    std::vector<ValueSummary> m_averages;
    std::size_t m_changedFrom = 0;
    std::size_t m_averageChangedFrom = 0;
    int m_averageStarts = 0; ///< how often the average had started over
};

} // namespace trainyard
