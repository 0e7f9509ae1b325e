#pragma once

#include <optional>

#include "app/models/scaling_table.h"
#include "app/widgets/chart_legend.h"
#include "app/widgets/curve_chart.h"

namespace trainyard {

class OpenRun;

/// A figure that runs are compared by.
struct ComparedMetric {
    QString title;
    StepColumn column;
    bool smoothable;
    bool fromZero;
};

const QList<ComparedMetric>& comparedMetrics();

/// One curve per run, in the order given; its number is its look.
QList<Curve> comparedCurves(const QList<const OpenRun*>& runs, StepColumn column, ChartAxis axis);
/// The curves of `chart` with their looks; with a cursor also their values there.
QList<LegendEntry> legendOf(const CurveChart& chart, std::optional<double> cursor);

/// Measured throughput over world sizes, and the straight line from the smallest one.
QList<Curve> scalingCurves(const QList<ScalingRow>& rows);

} // namespace trainyard
