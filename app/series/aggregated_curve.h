#pragma once

#include <QList>
#include <QString>

#include "app/series/series_column.h"

namespace trainyard {

enum class Middle { Mean, Median };

/// How the band around the middle is computed from the n values at a point.
enum class Spread {
    None,
    MinMax,
    StandardDeviation, ///< +- s, with n - 1 in s
    StandardError,     ///< +- s / sqrt(n)
    Confidence95,      ///< +- t(0.975, n - 1) s / sqrt(n): where the mean of such runs lies, 19 times in 20
};

/// A curve of one run.
struct RunCurve {
    SeriesColumn x; ///< ascending
    SeriesColumn y;
};

/// Several runs as one curve. All columns have the same length.
struct AggregatedCurve {
    SeriesColumn x;
    SeriesColumn middle;
    SeriesColumn lower; ///< equal to `middle` where only one run remains
    SeriesColumn upper;
    double allUntil = 0; ///< the last x that every run reaches
    int fewest = 0;      ///< runs that reach the end
    int runs = 0;
};

/// Aggregates over every x at which a run has a point. Between its own points a run is interpolated linearly;
/// before its first and after its last point it does not count. Skips values that are not finite.
AggregatedCurve aggregate(const QList<RunCurve>& runs, Middle middle, Spread spread);

/// The 97.5 % quantile of Student's t distribution.
double studentQuantile975(int degreesOfFreedom);

} // namespace trainyard
