#pragma once

#include <QList>
#include <QString>

#include "app/series/series_column.h"

namespace trainyard {

enum class Middle { Mean, Median };

/// How the area around the middle is made from the n values of a point.
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

/// Several runs as one curve. All columns are equally long.
struct AggregatedCurve {
    SeriesColumn x;
    SeriesColumn middle;
    SeriesColumn lower; ///< equal to `middle` where a single run is left
    SeriesColumn upper;
    double allUntil = 0; ///< the last x that every run reaches
    int fewest = 0;      ///< runs that reach the end
    int runs = 0;
};

/// Over every x at which a run has a point; at those of others a run counts with what lies on the line
/// between its neighbours, and nowhere before its first or behind its last point. Values that are not finite
/// are left out.
AggregatedCurve aggregate(const QList<RunCurve>& runs, Middle middle, Spread spread);

/// The t of Student's distribution that lies above 97.5 % of it.
double studentQuantile975(int degreesOfFreedom);

} // namespace trainyard
