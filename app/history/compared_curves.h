#pragma once

#include <optional>

#include "app/charts/chart_legend.h"
#include "app/charts/chart_options.h"
#include "app/charts/curve_chart.h"
#include "app/history/model/run_groups.h"
#include "app/plan/scaling_table.h"
#include "app/runs/step_table.h"
#include "app/series/aggregated_curve.h"

namespace trainyard {

class OpenRun;

/// A figure that runs can be laid over each other by.
struct ComparedMetric {
    QString title;
    std::optional<StepColumn> column; ///< else the imported series that is called like the title
    bool smoothable = true;
    bool fromZero = false;
};

/// Those of all runs, then the series that came with imported ones.
QList<ComparedMetric> comparedMetrics(const QList<const OpenRun*>& runs);

/// How the runs of a group become one curve.
struct Aggregation {
    Middle middle = Middle::Mean;
    Spread spread = Spread::MinMax;

    bool operator==(const Aggregation&) const = default;
};

/// What a group's curve is made of; values, so that another thread may work on it.
struct GroupCurves {
    QString name;
    QList<RunCurve> runs;  ///< those that have the figure over this axis
    QList<double> skipped; ///< see Curve; of a single run
};

QList<GroupCurves> curvesOf(const QList<RunGroup>& groups, const ComparedMetric& metric, ChartAxis axis);

/// The curves to draw, and what there is to say about groups whose runs end at different places.
struct ComparedCurves {
    QList<Curve> curves;
    QStringList remarks;
};
ComparedCurves aggregated(const QList<GroupCurves>& groups, const Aggregation& aggregation, ChartAxis axis);

/// The curves of `chart` with their looks; with a cursor also their values there.
QList<LegendEntry> legendOf(const CurveChart& chart, std::optional<double> cursor);

/// Measured throughput over world sizes, and the straight line from the smallest one.
QList<Curve> scalingCurves(const QList<ScalingRow>& rows);

} // namespace trainyard
