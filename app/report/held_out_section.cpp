#include <algorithm>
#include <cmath>
#include <limits>

#include "app/base/display_text.h"
#include "app/report/sections.h"
#include "app/report/thinned_curve.h"
#include "app/runs/evaluation_rows.h"
#include "app/runs/named_series.h"
#include "app/runs/time_to_target.h"
#include "app/series/smoothed_series.h"

namespace trainyard {

namespace {

constexpr double kTrainingSmoothing = 0.9;
constexpr qsizetype kMaxEvaluationRows =
    24; ///< of a table: two dozen show the course, the figure has them all

/// A run that has evaluated, with its plan.
struct EvaluatedRun {
    const RecordedRun* run;
    const PlanComparison* plan;
    QString label;
    std::vector<EvaluationSeries> metrics; ///< the loss first

    const EvaluationTable& table() const { return run->series.evaluations(); }
};

std::vector<EvaluatedRun> evaluatedRuns(const Runs& runs, const Plans& plans)
{
    std::vector<EvaluatedRun> evaluated;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i].series.evaluations().isEmpty())
            evaluated.push_back({&runs[i], &plans[i], labelOf(runs[i], runs),
                                 evaluationSeries(runs[i].facts, runs[i].series)});
    }
    return evaluated;
}

QString metricText(const EvaluationSeries& metric, qsizetype row)
{
    return figureText(metric.values[row], metric.quantity);
}

/// Every metric of any run once, in the order in which they come.
std::vector<EvaluationSeries> allMetrics(const std::vector<EvaluatedRun>& runs)
{
    std::vector<EvaluationSeries> all;
    for (const EvaluatedRun& run : runs) {
        for (const EvaluationSeries& metric : run.metrics) {
            if (std::ranges::find(all, metric.name, &EvaluationSeries::name) == all.end())
                all.push_back(metric);
        }
    }
    return all;
}

QString metricOf(const EvaluatedRun& run, const QString& name, qsizetype row)
{
    const auto metric = std::ranges::find(run.metrics, name, &EvaluationSeries::name);
    return metric == run.metrics.end() ? QStringLiteral("–") : metricText(*metric, row);
}

/// The newest evaluation of each run, its lowest loss, and the other metrics where that was reached.
ReportTable overviewTable(const std::vector<EvaluatedRun>& runs)
{
    ReportTable table{"Metrics are those of the lowest loss",
                      {"run", "evaluations", "last loss", "lowest loss", "at step"},
                      {}};
    const std::vector<EvaluationSeries> metrics = allMetrics(runs);
    for (std::size_t i = 1; i < metrics.size(); ++i)
        table.columns << metrics[i].shortTitle();
    for (const EvaluatedRun& run : runs) {
        const qsizetype lowest = run.table().lowestLossRow();
        const qsizetype shown = lowest < 0 ? run.table().size() - 1 : lowest;
        QStringList row{run.label, displayCount(run.table().size()),
                        displayLoss(run.table().last(EvaluationColumn::Loss)),
                        displayLoss(run.table().at(shown).loss), displayCount(run.table().at(shown).step)};
        for (std::size_t i = 1; i < metrics.size(); ++i)
            row << metricOf(run, metrics[i].name, shown);
        table.rows << row;
    }
    return table;
}

/// Evenly spread, with the last one.
QList<qsizetype> shownRows(qsizetype size)
{
    const qsizetype stride = std::max<qsizetype>(1, (size + kMaxEvaluationRows - 1) / kMaxEvaluationRows);
    QList<qsizetype> rows;
    for (qsizetype row = (size - 1) % stride; row < size; row += stride)
        rows << row;
    return rows;
}

ReportTable evaluationsTable(const EvaluatedRun& run)
{
    const TextTable all = evaluationRows(run.run->facts, run.run->series);
    const QList<qsizetype> rows = shownRows(all.rows.size());
    ReportTable shown{rows.size() == all.rows.size()
                          ? QStringLiteral("All evaluations")
                          : QStringLiteral("%1 of %2 evaluations").arg(rows.size()).arg(all.rows.size()),
                      all.columns,
                      {}};
    for (const qsizetype row : rows)
        shown.rows << all.rows[row];
    return shown;
}

ReportCurve heldOutCurve(const EvaluatedRun& run, const QString& name, const EvaluationSeries& metric)
{
    return thinned({name, run.table().column(EvaluationColumn::Step).toList(), metric.values.toList(),
                    ReportCurve::Look::Marked});
}

/// Of one run; those of several would hide each other.
QList<ReportMark> bordersIn(const std::vector<EvaluatedRun>& runs)
{
    return runs.size() == 1 ? phaseMarks(*runs.front().run) : QList<ReportMark>();
}

/// Of one run with the training loss, of several without: twice as many curves would hide what differs.
ReportFigure lossFigure(const std::vector<EvaluatedRun>& runs)
{
    const bool isOne = runs.size() == 1;
    ReportFigure figure{isOne ? QStringLiteral("Held-out and training loss")
                              : QStringLiteral("Held-out loss"),
                        "step", "loss (nats)"};
    if (isOne) {
        const StepTable& steps = runs.front().run->series.steps();
        const QList<double> x = steps.column(StepColumn::Step).toList();
        const QList<double> y = steps.column(StepColumn::Loss).toList();
        figure.curves << thinned(
            {"training, smoothed", x, exponentialAverage(y, kTrainingSmoothing), ReportCurve::Look::Line});
    }
    for (const EvaluatedRun& run : runs)
        figure.curves << heldOutCurve(run, isOne ? QStringLiteral("held-out") : run.label,
                                      run.metrics.front());
    figure.marks = bordersIn(runs);
    return figure;
}

/// A figure for each metric that is no loss.
QList<ReportBlock> metricFigures(const std::vector<EvaluatedRun>& runs)
{
    QList<ReportBlock> figures;
    for (const EvaluationSeries& metric : allMetrics(runs)) {
        if (metric.name.endsWith(QLatin1String("loss")))
            continue;
        ReportFigure figure{metric.title, "step", metric.shortTitle()};
        figure.marks = bordersIn(runs);
        for (const EvaluatedRun& run : runs) {
            const auto own = std::ranges::find(run.metrics, metric.name, &EvaluationSeries::name);
            if (own != run.metrics.end())
                figure.curves << heldOutCurve(run, run.label, *own);
        }
        figures << figure;
    }
    return figures;
}

/// The target that all runs are compared by: the one in their specifications if they have the same, else the
/// lowest loss that each of them reached.
struct ComparedTarget {
    EvaluationSpec evaluation;
    QString words; ///< "held-out loss of 2.5 (evaluation.target)"
};

std::optional<ComparedTarget> specifiedTarget(const std::vector<EvaluatedRun>& runs)
{
    const auto& first = runs.front().run->facts.spec;
    if (!first)
        return std::nullopt;
    const EvaluationSpec wanted = targetOf(*first);
    if (wanted.target <= 0)
        return std::nullopt;
    const bool isCommon = std::ranges::all_of(runs, [&](const EvaluatedRun& run) {
        const auto& spec = run.run->facts.spec;
        return spec && haveSameTarget(targetOf(*spec), wanted);
    });
    if (!isCommon)
        return std::nullopt;
    const bool isLoss = wanted.metric == EvaluationMetric::Loss;
    return ComparedTarget{wanted,
                          QStringLiteral("a held-out %1 of %2 (evaluation.target)")
                              .arg(isLoss ? QStringLiteral("loss") : QStringLiteral("accuracy"),
                                   isLoss ? displayLoss(wanted.target) : displayPercent(wanted.target))};
}

std::int64_t stepsBeforeTargetOf(const EvaluatedRun& run)
{
    const auto& spec = run.run->facts.spec;
    return spec ? stepsBeforeTarget(*spec) : 0;
}

std::optional<double> lowestLossOfLastPhase(const EvaluatedRun& run)
{
    std::optional<double> lowest;
    for (qsizetype row = 0; row < run.table().size(); ++row) {
        const EvaluationRecord record = run.table().at(row);
        if (record.step > stepsBeforeTargetOf(run))
            lowest = std::min(lowest.value_or(record.loss), record.loss);
    }
    return lowest;
}

std::optional<ComparedTarget> reachedByAll(const std::vector<EvaluatedRun>& runs)
{
    double reached = 0;
    for (const EvaluatedRun& run : runs) {
        const std::optional<double> lowest = lowestLossOfLastPhase(run);
        if (!lowest)
            return std::nullopt;
        reached = std::max(reached, *lowest);
    }
    ComparedTarget target{{}, {}};
    target.evaluation.target = reached;
    target.words =
        runs.size() == 1
            ? QStringLiteral("the lowest held-out loss, %1").arg(displayLoss(reached))
            : QStringLiteral("a held-out loss of %1, which all runs reach").arg(displayLoss(reached));
    return target;
}

/// At the price of the nodes during training and the measured pace; NaN where one of them is unknown.
double costOf(double seconds, const PlanComparison& plan)
{
    constexpr double kSecondsPerDay = 86'400;
    return plan.measured ? plan.measured->cost / (plan.measured->days * kSecondsPerDay) * seconds
                         : RunPace::kUnknown;
}

QStringList targetRow(const EvaluatedRun& run, const std::optional<TimeToTarget>& reached)
{
    const QStringList head{run.label, QString::number(worldSizeOf(*run.run))};
    if (!reached)
        return head + QStringList{"not reached", "–", "–", "–"};
    const double cost = costOf(reached->seconds, *run.plan);
    return head + QStringList{displayCount(reached->step), displaySeconds(reached->seconds),
                              displayLarge(reached->tokens),
                              std::isfinite(cost) ? displayNumber(cost) + " " + run.plan->currency
                                                  : QStringLiteral("–")};
}

/// Ascending by world size, with the speed-up over the first that reaches it.
ReportTable targetTable(std::vector<EvaluatedRun> runs, const ComparedTarget& target)
{
    std::ranges::stable_sort(runs, {}, [](const EvaluatedRun& run) { return worldSizeOf(*run.run); });
    ReportTable table{
        QStringLiteral("Time, tokens and cost to %1. Time includes evaluations, but no interruptions")
            .arg(target.words),
        {"run", "ranks", "after step", "time", "tokens", "cost"},
        {}};
    if (runs.size() > 1)
        table.columns << "speed-up";
    double first = std::numeric_limits<double>::quiet_NaN();
    for (const EvaluatedRun& run : runs) {
        const auto reached = timeToTarget(target.evaluation, run.run->series, stepsBeforeTargetOf(run));
        if (reached && std::isnan(first))
            first = reached->seconds;
        QStringList row = targetRow(run, reached);
        if (runs.size() > 1)
            row << (reached ? QString::number(first / reached->seconds, 'f', 2) : QStringLiteral("–"));
        table.rows << row;
    }
    return table;
}

} // namespace

ReportSection heldOutSection(const Runs& runs, const Plans& plans)
{
    ReportSection section{"Held-out evaluation", {}};
    const std::vector<EvaluatedRun> evaluated = evaluatedRuns(runs, plans);
    if (evaluated.empty())
        return section;
    section.blocks << lossFigure(evaluated) << overviewTable(evaluated);
    auto target = specifiedTarget(evaluated);
    if (!target)
        target = reachedByAll(evaluated);
    if (target)
        section.blocks << targetTable(evaluated, *target);
    section.blocks << metricFigures(evaluated);
    if (evaluated.size() == 1)
        section.blocks << evaluationsTable(evaluated.front());
    return section;
}

} // namespace trainyard
