#include "app/models/plan_comparison.h"

#include <algorithm>
#include <numeric>

#include "app/models/run_folder.h"

namespace trainyard {

namespace {

constexpr qsizetype kWindow = 50;

/// Rows of the middle half of the newest steps by their time.
QList<qsizetype> usualRows(const SeriesColumn& stepSeconds)
{
    const qsizetype first = std::max<qsizetype>(stepSeconds.size() > 1 ? 1 : 0, stepSeconds.size() - kWindow);
    QList<qsizetype> rows(stepSeconds.size() - first);
    std::iota(rows.begin(), rows.end(), first);
    std::sort(rows.begin(), rows.end(),
              [&](qsizetype a, qsizetype b) { return stepSeconds[a] < stepSeconds[b]; });
    const qsizetype quarter = rows.size() / 4;
    return rows.mid(quarter, rows.size() - 2 * quarter);
}

double meanOf(const SeriesColumn& values, const QList<qsizetype>& rows)
{
    double sum = 0;
    for (const qsizetype row : rows)
        sum += values[row];
    return sum / static_cast<double>(rows.size());
}

void fillFigures(RunPace& pace, const StepFigures& figures)
{
    pace.sequencesPerSecond = figures.sequencesPerSecond;
    pace.tokensPerDay = figures.tokensPerDay();
    pace.modelUtilization = figures.modelUtilization;
    pace.hardwareUtilization = figures.hardwareUtilization;
}

RunPace paceOf(const PlannedTime& time)
{
    RunPace pace;
    pace.stepSeconds = time.step.seconds;
    pace.byCause = byCommonCause(time.step.byCause);
    fillFigures(pace, time.figures);
    pace.days = time.training.days;
    if (time.training.cost > 0)
        pace.cost = time.training.cost;
    return pace;
}

/// What else the measured step time means on the hardware that the plan was made for.
void completeBy(const PlannedTime& time, const RunFacts& facts, RunPace& measured)
{
    const SequenceShape shape{facts.dataSet->sequenceLength, facts.dataSet->maxPredictions};
    fillFigures(measured, stepFigures(*facts.spec, shape, time.peak, measured.stepSeconds));
    const double longer = measured.stepSeconds / time.step.seconds;
    measured.days = longer * time.training.days;
    if (time.training.cost > 0)
        measured.cost = longer * time.training.cost;
}

QString textOf(const std::string& text)
{
    return QString::fromStdString(text);
}

void compareTime(const PlannedTime& time, const RunFacts& facts, PlanComparison& comparison)
{
    comparison.planned = paceOf(time);
    comparison.hardware = textOf(time.node.name);
    comparison.currency = textOf(time.node.price.currency);
    comparison.priceDate = textOf(time.node.price.date);
    comparison.band = time.band();
    if (time.node.calibration)
        comparison.calibrated = textOf(time.node.calibration->date);
    if (comparison.measured)
        completeBy(time, facts, *comparison.measured);
}

QString whyNoTime(const Result<PlannedRun>& plan)
{
    if (!plan.ok())
        return QStringLiteral("Nothing is planned: ") + textOf(plan.error().text()) + QLatin1Char('.');
    if (!plan->time.ok())
        return QStringLiteral("No time is planned: ") + textOf(plan->time.error().text()) + QLatin1Char('.');
    return QStringLiteral(
        "No time is planned: what hardware the nodes are is not known. Choose it, or measure "
        "them with `trainyard calibrate`.");
}

} // namespace

std::optional<RunPace> usualStep(const StepTable& steps)
{
    if (steps.isEmpty())
        return std::nullopt;
    const QList<qsizetype> rows = usualRows(steps.column(StepColumn::StepSeconds));
    RunPace pace;
    pace.stepSeconds = meanOf(steps.column(StepColumn::StepSeconds), rows);
    for (std::size_t i = 0; i < kCommonCauses; ++i)
        pace.byCause[i] = meanOf(steps.cause(static_cast<CommonCause>(i)), rows);
    pace.sequencesPerSecond = meanOf(steps.column(StepColumn::SequencesPerSecond), rows);
    return pace;
}

PlanComparison comparePlan(const RunFacts& facts, const RunSeries& series, const Result<PlannedRun>& plan)
{
    PlanComparison comparison;
    comparison.memory = deviceMemory(facts, series);
    comparison.measured = usualStep(series.steps());
    if (plan.ok() && plan->hasTime())
        compareTime(**plan->time, facts, comparison);
    else
        comparison.whyNoTime = whyNoTime(plan);
    return comparison;
}

} // namespace trainyard
