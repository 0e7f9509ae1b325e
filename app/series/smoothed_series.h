#pragma once

#include <vector>

#include <QList>

#include "app/series/series_column.h"

namespace trainyard {

enum class SmoothingKind {
    Exponential,  ///< per point, of the same strength for every curve: the values that TensorBoard shows
    TimeWeighted, ///< by distance on the axis: looks the same however often the run logs
};

/// How a noisy curve is smoothed for the eye. weight 0 = not at all, towards 1 = very.
struct Smoothing {
    SmoothingKind kind = SmoothingKind::Exponential;
    double weight = 0.6;

    bool operator==(const Smoothing&) const = default;
};

/// A running moving average, one point at a time. A small value: it can be stored and continued later.
class RunningAverage {
public:
    /// `range`: length of the horizontal axis, the time scale of a time-weighted average.
    RunningAverage(const Smoothing& smoothing, double range);

    /// The average at the next point; x ascends. Returns values that are not finite unchanged and ignores
    /// them.
    double add(double x, double y);

private:
    double addTimeWeighted(double x, double y);
    double addExponential(double y);

    SmoothingKind m_kind;
    double m_weight;
    double m_exponent;     ///< of the weight, per unit of x
    double m_last = 0;     ///< sums as in the formulas below
    double m_norm = 0;     ///< time-weighted: of the weights; exponential: 1 - w^n
    double m_lastX = 0;    ///< of the newest finite point
    double m_distance = 0; ///< between the newest two, and
    double m_decay = 1;    ///< what it comes to: points are mostly evenly spaced
    double m_first = 0;
    bool m_constant = true; ///< all points so far equal the first
};

/// Exponential moving average of y with a decay that follows the distance in x, debiased:
///     w = min(sqrt(weight), 0.999);  w_i = w^((x_i - x_{i-1}) / range(x) * 1000)
///     last = last * w_i + y_i;  norm = norm * w_i + 1;  out_i = last / norm
/// as Weights & Biases documents it; 1000 stands for the width of a view, so the look does not depend on how
/// many points there are. x is ascending. Points that are not finite come out as they are and count for
/// nothing.
QList<double> timeWeightedAverage(const QList<double>& x, const QList<double>& y, double weight);

/// last = last * w + (1 - w) * y_i;  out_i = last / (1 - w^n), n = finite points so far: TensorBoard's curve.
/// A constant series comes out unchanged; points that are not finite come out as they are.
QList<double> exponentialAverage(const QList<double>& y, double weight);

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
