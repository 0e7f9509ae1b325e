#pragma once

#include <QList>
#include <QString>

namespace trainyard {

/// The quantity of an axis; decides how its ticks are spaced and labelled.
enum class Quantity {
    Number,  ///< 1, 10, 1.2k
    Count,   ///< the same, whole numbers only
    Bytes,   ///< 512 MiB, 1 GiB: steps are powers of two
    Seconds, ///< 30 s, 5 min, 2 h
    Share,   ///< 0.5 is written as 50 %
    Moment,  ///< seconds since 1970-01-01 UTC, written as local time
};

struct TickDemand {
    Quantity quantity = Quantity::Number;
    bool logarithmic = false;
    int wanted = 5; ///< approximate number; at least two if there are round positions
};

/// Round positions within [lower, upper], ascending. Requires lower < upper, and lower > 0 when logarithmic.
QList<double> axisTicks(double lower, double upper, const TickDemand& demand);

/// A label as short as ticks need.
QString tickText(double tick, Quantity quantity);
/// The same number where there is more space: four significant digits and the unit.
QString figureText(double value, Quantity quantity);

/// The visible part of an axis, and the number of points outside it.
struct AxisRange {
    double lower = 0;
    double upper = 1;
    qsizetype outside = 0; ///< finite points beyond the range

    bool operator==(const AxisRange&) const = default;
};

struct AxisDemand {
    bool hideOutliers = false;
    bool positiveOnly = false; ///< logarithmic axis: points at or below zero cannot be shown

    bool operator==(const AxisDemand&) const = default;
};

/// The range that shows `values`; points that are not finite do not count. With hideOutliers it is the 5th to
/// the 95th percentile, widened by half of that on either side but never beyond the data, and by `kept`,
/// which are values that are never outliers, such as the start of a curve: a lone spike does not flatten the
/// rest. Always lower < upper, with a little room around the data.
AxisRange axisRange(const QList<double>& values, const AxisDemand& demand, const QList<double>& kept = {});

} // namespace trainyard
