#include "app/history/compared_curves.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/runs/loss_parts.h"
#include "app/runs/named_series.h"
#include "app/runs/open_run.h"
#include "app/runs/recorded_run.h"

namespace trainyard {

namespace {

constexpr int kGreyDashes = 15;        ///< eighth colour, second line style
constexpr double kVisibleShare = 1e-3; ///< of the range of a curve: less is within one pixel

/// Of runs that minimize the same; else "Loss".
QString commonLossTitle(const QList<const OpenRun*>& runs)
{
    const QString first = runs.isEmpty() ? lossTitle({}) : lossTitle(runs.front()->facts());
    const bool isCommon =
        std::ranges::all_of(runs, [&](const OpenRun* run) { return lossTitle(run->facts()) == first; });
    return isCommon ? first : lossTitle({});
}

QList<ComparedMetric> metricsOfLoss(const QList<const OpenRun*>& runs)
{
    QList<ComparedMetric> metrics{{commonLossTitle(runs), StepColumn::Loss, true, false}};
    for (const LossPart& part : lossParts({})) {
        const bool hasIt = std::ranges::any_of(
            runs, [&](const OpenRun* run) { return isLossPart(run->facts(), part.column); });
        if (hasIt || runs.isEmpty())
            metrics.append({QString::fromUtf8(part.title), part.column, true, false});
    }
    return metrics;
}

const QList<ComparedMetric>& metricsOfSteps()
{
    static const QList<ComparedMetric> kMetrics{
        {QStringLiteral("Learning rate"), StepColumn::LearningRate, false, true},
        {QStringLiteral("Gradient norm"), StepColumn::GradientNorm, true, false},
        {QStringLiteral("Sequences per second"), StepColumn::SequencesPerSecond, true, true},
        {QStringLiteral("Tokens per second"), StepColumn::TokensPerSecond, true, true},
    };
    return kMetrics;
}

SeriesColumn sinceFirst(const SeriesColumn& seconds)
{
    SeriesColumn relative;
    for (const double at : seconds)
        relative.append(at - seconds.first());
    return relative;
}

/// Empty where the run does not have the series, or has it not over this axis.
RunCurve importedCurve(const OpenRun& run, const QString& name, ChartAxis axis)
{
    for (const NamedSeries& series : namedSeries(run.facts(), run.series())) {
        if (!run.facts().import || series.name != name)
            continue;
        if (axis == ChartAxis::Step)
            return {series.steps, series.values};
        if (axis == ChartAxis::Wall)
            return {series.wallSeconds, series.values};
        if (axis == ChartAxis::Time)
            return {sinceFirst(series.wallSeconds), series.values};
    }
    return {};
}

/// Empty where the run has no such evaluations.
RunCurve evaluatedCurve(const OpenRun& run, const QString& name, ChartAxis axis)
{
    const RunSeries& series = run.series();
    for (const EvaluationSeries& one : evaluationSeries(run.facts(), series)) {
        if (one.name == name)
            return {series.evaluations().positions(series.steps(), columnOf(axis)), one.values};
    }
    return {};
}

RunCurve curveOf(const OpenRun& run, const ComparedMetric& metric, ChartAxis axis)
{
    if (!metric.evaluated.isEmpty())
        return evaluatedCurve(run, metric.evaluated, axis);
    if (metric.column && isLossPart({}, *metric.column) && !isLossPart(run.facts(), *metric.column))
        return {};
    if (!metric.column)
        return importedCurve(run, metric.title, axis);
    const StepTable& steps = run.series().steps();
    const SeriesColumn x = steps.recorded(columnOf(axis), columnOf(axis));
    if (x.isEmpty()) // imported without tokens, for example
        return {};
    return {steps.recorded(columnOf(axis), *metric.column), steps.recorded(*metric.column, *metric.column)};
}

QString lengthRemark(const GroupCurves& group, const AggregatedCurve& curve, ChartAxis axis)
{
    return QObject::tr("%1: all %2 runs until %3, %4 at the end")
        .arg(group.name)
        .arg(curve.runs)
        .arg(positionText(axis, curve.allUntil))
        .arg(curve.fewest);
}

/// Every point of the shorter curve is one of the longer.
bool coincide(const Curve& a, const Curve& b)
{
    const qsizetype rows = std::min(a.x.size(), b.x.size());
    if (rows == 0 || a.x[rows - 1] != b.x[rows - 1])
        return false;
    const ValueSummary all = a.y.summary(0, rows);
    const double visible = kVisibleShare * (all.max - all.min);
    for (qsizetype row = 0; row < rows; ++row) {
        const bool isSame =
            std::fabs(a.y[row] - b.y[row]) <= visible || (std::isnan(a.y[row]) && std::isnan(b.y[row]));
        if (a.x[row] != b.x[row] || !isSame)
            return false;
    }
    return true;
}

void nameCoinciding(QList<Curve>& curves)
{
    for (qsizetype i = 1; i < curves.size(); ++i) {
        const auto end = curves.cbegin() + i;
        const auto under = std::find_if(curves.cbegin(), end, [&](const Curve& earlier) {
            return earlier.sameAs.isEmpty() && coincide(earlier, curves.at(i));
        });
        if (under != end)
            curves[i].sameAs = under->name;
    }
}

Curve plainCurve(const GroupCurves& group, int style)
{
    return {.name = group.name,
            .x = group.runs.first().x,
            .y = group.runs.first().y,
            .style = style,
            .marked = group.marked,
            .skipped = group.skipped};
}

} // namespace

QList<ComparedMetric> comparedMetrics(const QList<const OpenRun*>& runs)
{
    QList<ComparedMetric> metrics = metricsOfLoss(runs) + metricsOfSteps();
    std::set<QString> evaluated;
    std::set<QString> imported;
    for (const OpenRun* run : runs) {
        for (const EvaluationSeries& series : evaluationSeries(run->facts(), run->series())) {
            if (evaluated.insert(series.name).second)
                metrics.append({series.title, std::nullopt, false, false, series.name});
        }
        if (!run->facts().import)
            continue;
        for (const NamedSeries& series : namedSeries(run->facts(), run->series()))
            imported.insert(series.name);
    }
    for (const QString& name : imported)
        metrics.append({name, std::nullopt, true, false});
    return metrics;
}

QList<GroupCurves> curvesOf(const QList<RunGroup>& groups, const ComparedMetric& metric, ChartAxis axis)
{
    QList<GroupCurves> all;
    for (const RunGroup& group : groups) {
        GroupCurves curves{group.name, {}, {}, !metric.evaluated.isEmpty()};
        for (const OpenRun* run : group.runs) {
            const RunCurve curve = curveOf(*run, metric, axis);
            if (!curve.x.isEmpty())
                curves.runs.append(curve);
        }
        if (group.runs.size() == 1 && metric.column)
            curves.skipped = group.runs.first()->series().steps().skipped(columnOf(axis));
        all.append(curves);
    }
    return all;
}

ComparedCurves aggregated(const QList<GroupCurves>& groups, const Aggregation& aggregation, ChartAxis axis)
{
    ComparedCurves compared;
    for (qsizetype i = 0; i < groups.size(); ++i) {
        const GroupCurves& group = groups[i];
        if (group.runs.isEmpty())
            continue;
        if (group.runs.size() == 1) {
            compared.curves.append(plainCurve(group, int(i)));
            continue;
        }
        const AggregatedCurve curve = aggregate(group.runs, aggregation.middle, aggregation.spread);
        if (curve.fewest < curve.runs)
            compared.remarks.append(lengthRemark(group, curve, axis));
        Curve drawn{
            .name = group.name, .x = curve.x, .y = curve.middle, .style = int(i), .marked = group.marked};
        if (aggregation.spread != Spread::None) {
            drawn.lower = curve.lower;
            drawn.upper = curve.upper;
        }
        compared.curves.append(drawn);
    }
    nameCoinciding(compared.curves);
    return compared;
}

QList<LegendEntry> legendOf(const CurveChart& chart, std::optional<double> cursor)
{
    QList<LegendEntry> entries;
    for (qsizetype i = 0; i < chart.curves().size(); ++i) {
        const Curve& curve = chart.curves()[i];
        const SeriesStyle light = seriesStyle(ColourScheme::Light, curve.style);
        const QString value = cursor ? QStringLiteral("  ") + chart.valueText(i, *cursor) : QString();
        const QString same =
            curve.sameAs.isEmpty() ? QString() : QObject::tr(" (same as %1)").arg(curve.sameAs);
        entries.append({curve.name + value + same, light.colour,
                        seriesStyle(ColourScheme::Dark, curve.style).colour, light.line});
    }
    return entries;
}

QList<Curve> scalingCurves(const QList<ScalingRow>& rows)
{
    Curve measured{QStringLiteral("measured"), {}, {}, 0};
    Curve ideal{QStringLiteral("ideal"), {}, {}, kGreyDashes};
    for (const ScalingRow& row : rows) {
        measured.x.append(row.worldSize);
        measured.y.append(row.sequencesPerSecond);
        ideal.x.append(row.worldSize);
        ideal.y.append(rows.first().sequencesPerSecond * row.worldSize / rows.first().worldSize);
    }
    measured.marked = true;
    return rows.isEmpty() ? QList<Curve>() : QList<Curve>{measured, ideal};
}

} // namespace trainyard
