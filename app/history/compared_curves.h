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

/// A metric in which runs can be compared.
struct ComparedMetric {
    QString title;
    std::optional<StepColumn> column; ///< nullopt: `evaluated`, or the imported series named like the title
    bool smoothable = true;
    bool fromZero = false;
    QString evaluated = {}; ///< name of the EvaluationSeries
};

/// Returns the metrics of all runs, then those of their held-out evaluations, then the series of imported
/// ones.
QList<ComparedMetric> comparedMetrics(const QList<const OpenRun*>& runs);

/// How the runs of a group are aggregated to one curve.
struct Aggregation {
    Middle middle = Middle::Mean;
    Spread spread = Spread::MinMax;

    bool operator==(const Aggregation&) const = default;
};

/// The input of a group's curve; values, so that another thread may use it.
struct GroupCurves {
    QString name;
    QList<RunCurve> runs;  ///< runs that have the metric over this axis
    QList<double> skipped; ///< see Curve; for a single run only
    bool marked = false;   ///< see Curve
};

QList<GroupCurves> curvesOf(const QList<RunGroup>& groups, const ComparedMetric& metric, ChartAxis axis);

/// The curves to draw, with remarks about groups whose runs end at different positions. A curve whose points are
/// all those of an earlier one, as far as an eye can see, names it in Curve::sameAs.
struct ComparedCurves {
    QList<Curve> curves;
    QStringList remarks;
};
ComparedCurves aggregated(const QList<GroupCurves>& groups, const Aggregation& aggregation, ChartAxis axis);

/// Returns legend entries of the curves of `chart`; with a cursor also their values there.
QList<LegendEntry> legendOf(const CurveChart& chart, std::optional<double> cursor);

/// Returns measured throughput over world size, and the ideal line from the smallest one.
QList<Curve> scalingCurves(const QList<ScalingRow>& rows);

} // namespace trainyard
