#pragma once

#include <vector>

#include "app/series/series_column.h"
#include "app/series/smoothing.h"

namespace trainyard {

/// The moving average of a long curve, extended as the curve grows, in a fraction of its memory: minimum,
/// maximum and newest value of every 16 points, and the state of the average at every 256th, from which
/// single values are recomputed. Short curves keep all averages.
class SmoothedSeries {
public:
    /// Extends the average to the end of the curve. Restarts for another curve, for another smoothing, and
    /// when the curve has become a quarter longer, because a time-weighted average depends on its length.
    void follow(const SeriesColumn& x, const SeriesColumn& y, const Smoothing& smoothing);

    qsizetype size() const { return m_y.size(); }
    double at(qsizetype row) const;
    /// Averages of rows [from, to), recomputed one by one.
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
