#pragma once

#include <vector>

#include "app/series/series_column.h"
#include "app/series/smoothing.h"

namespace trainyard {

/// The moving average of a long curve. It goes on where it ended when the curve has grown, and takes a
/// fraction of the curve's memory: of every 16 points minimum, maximum and newest value, and of every 256
/// where the average stood, from which single values are worked out again. Of a short curve all are kept.
class SmoothedSeries {
public:
    /// Brings the average up to the end of the curve. It starts over when the curve is another one, when the
    /// smoothing is, or when the curve has become a quarter longer: a time-weighted average depends on it.
    void follow(const SeriesColumn& x, const SeriesColumn& y, const Smoothing& smoothing);

    qsizetype size() const { return m_y.size(); }
    double at(qsizetype row) const;
    /// Averages of rows [from, to), worked out one by one.
    std::vector<double> values(qsizetype from, qsizetype to) const;
    /// What each pixel shows of the average; see pixelRows(). Exact of a short curve and where pixels have
    /// less than 16 rows; wider ones begin and end with whole stretches of 16.
    std::vector<ValueSummary> columns(const std::vector<qsizetype>& pixelRows) const;
    /// How often it started over; for tests.
    int starts() const { return m_starts; }

private:
    bool goesOn(const SeriesColumn& x, const SeriesColumn& y, const Smoothing& smoothing) const;
    void start(const SeriesColumn& x, const Smoothing& smoothing);
    void append(double x, double y);
    RunningAverage before(qsizetype row) const;
    std::vector<ValueSummary> exactColumns(const std::vector<qsizetype>& pixelRows) const;
    ValueSummary stretches(qsizetype from, qsizetype to) const;

    SeriesColumn m_x;
    SeriesColumn m_y;
    Smoothing m_smoothing;
    double m_range = -1; ///< of x, that the average refers to; negative = not started
    qsizetype m_rows = 0;
    RunningAverage m_running{Smoothing(), 0};
    std::vector<RunningAverage> m_states; ///< before every 256th row
    SeriesColumn m_all;                   ///< the averages, as long as the curve is short
    GrowingLevel m_fine{kLevelRows[0]};
    GrowingLevel m_coarse{kLevelRows[1]};
    bool m_allFinite = true; ///< averages
    int m_starts = 0;
};

} // namespace trainyard
