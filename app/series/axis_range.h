#pragma once

#include <QList>

namespace trainyard {

/// The visible part of an axis, and the number of points outside it.
struct AxisRange {
    double lower = 0;
    double upper = 1;
    qsizetype outside = 0; ///< finite points beyond the range

    bool operator==(const AxisRange&) const = default;
};

struct AxisDemand {
    bool hideOutliers = true;
    bool positiveOnly = false; ///< logarithmic axis: points at or below zero cannot be shown

    bool operator==(const AxisDemand&) const = default;
};

/// The range that shows `values`; points that are not finite do not count. With hideOutliers it is the 5th to
/// the 95th percentile, widened by half of that on either side but never beyond the data: a steep start stays
/// visible, a lone spike does not flatten the rest. Always lower < upper, with a little room around the data.
AxisRange axisRange(const QList<double>& values, const AxisDemand& demand);

} // namespace trainyard
