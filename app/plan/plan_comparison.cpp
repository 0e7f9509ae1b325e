#include "app/plan/plan_comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <QJsonArray>
#include <QObject>

#include "app/base/display_text.h"
#include "app/plan/hardware_library.h"
#include "app/plan/layout_summary.h"
#include "app/runs/recorded_run.h"
#include "engine/planner/layout/rank_grid.h"
#include "remote/launch/inventory.h"

namespace trainyard {

namespace {

SequenceShape shapeOf(const DataSetManifest& rows)
{
    return {rows.sequenceLength, rows.maxPredictions};
}

NodeMemory foundOn(const NodeSpec& node, const QJsonObject& inventory)
{
    const QString host = QString::fromStdString(node.host);
    for (const QJsonValue& entry : inventory["hosts"].toArray()) {
        if (entry["host"].toString() == host)
            return memoryOf(readFacts(host, entry["probe"].toObject(), {}), node);
    }
    return {};
}

RunSpec withHardware(RunSpec spec, const std::string& hardware)
{
    for (NodeSpec& node : spec.cluster.nodes) {
        if (node.hardware.empty())
            node.hardware = hardware;
    }
    return spec;
}

} // namespace

std::vector<MemoryByCategory> plannedMemory(const RunFacts& facts)
{
    const RunSpec* spec = facts.specNow();
    if (!spec || !facts.dataSet)
        return {};
    const auto grid = RankGrid::create(spec->layout);
    if (!grid.ok())
        return {};
    const auto hosts = memoryOfHosts(
        *spec, [&](std::size_t node) { return foundOn(spec->cluster.nodes[node], facts.inventory); });
    const auto stages = memoryOfPipelineRanks(*spec, shapeOf(*facts.dataSet), productsOn(*spec, hosts));
    if (stages.size() < static_cast<std::size_t>(spec->layout.pipeline))
        return {}; // no run of ours: more stages than layers
    std::vector<MemoryByCategory> ranks;
    for (int rank = 0; rank < grid->worldSize().value; ++rank)
        ranks.push_back(stages.at(static_cast<std::size_t>(grid->coordOf(Rank{rank}).pipeline)));
    return ranks;
}

Result<PlannedRun> planOf(const RunFacts& facts, const HardwareLibrary& library, const std::string& hardware)
{
    const RunSpec* spec = facts.specNow();
    if (!spec)
        return badInput("the specification of this run is not available here");
    if (!facts.dataSet)
        return badInput("the row length is unknown, because the manifest of the data set cannot be read from "
                        "this computer");
    return planRun(withHardware(*spec, hardware),
                   {shapeOf(*facts.dataSet), [&](const std::string& name) { return library.find(name); },
                    [&](const NodeSpec& node) { return foundOn(node, facts.inventory); }});
}

namespace {

constexpr qsizetype kWindow = 50;

struct RowRange {
    qsizetype begin;
    qsizetype end;
};

/// Of the newest attempt, unless that began after the span.
RowRange rowsOf(const StepTable& steps, const StepSpan& span)
{
    const SeriesColumn& numbers = steps.column(StepColumn::Step);
    const RowRange rows{numbers.lowerBound(static_cast<double>(span.first)),
                        numbers.upperBound(static_cast<double>(span.last))};
    const qsizetype newest = numbers.lowerBound(static_cast<double>(steps.attempts().back().firstStep));
    return newest < rows.end ? RowRange{std::max(newest, rows.begin), rows.end} : rows;
}

/// Rows of the middle half of the newest steps by their time. The first step of an attempt or a phase starts
/// up.
QList<qsizetype> usualRows(const StepTable& steps, const RowRange& range)
{
    const SeriesColumn& stepSeconds = steps.column(StepColumn::StepSeconds);
    const qsizetype first =
        std::max(range.begin + (range.end - range.begin > 1 ? 1 : 0), range.end - kWindow);
    QList<qsizetype> rows(range.end - first);
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

void fillStats(RunPace& pace, const StepStats& stats)
{
    pace.sequencesPerSecond = stats.sequencesPerSecond;
    pace.tokensPerDay = stats.tokensPerDay();
    pace.modelUtilization = stats.modelUtilization;
    pace.hardwareUtilization = stats.hardwareUtilization;
}

RunPace paceOf(const PlannedTime& time)
{
    RunPace pace;
    pace.stepSeconds = time.step.seconds;
    pace.byCause = byCommonCause(time.step.byCause);
    fillStats(pace, time.stats);
    pace.days = time.training.days;
    if (time.training.cost > 0)
        pace.cost = time.training.cost;
    return pace;
}

/// What else the measured step time means on the hardware that the plan was made for.
void completeBy(const PlannedTime& time, const RunFacts& facts, RunPace& measured)
{
    const SequenceShape shape{facts.dataSet->sequenceLength, facts.dataSet->maxPredictions};
    fillStats(measured, stepStats(*facts.specNow(), shape, time.peak, measured.stepSeconds));
    const double longer = measured.stepSeconds / time.step.seconds;
    measured.days = longer * time.training.days;
    if (time.training.cost > 0)
        measured.cost = longer * time.training.cost;
}

void compareTime(const PlannedTime& time, const RunFacts& facts, PlanComparison& comparison)
{
    comparison.planned = paceOf(time);
    comparison.hardware = toQString(time.node.name);
    comparison.currency = toQString(time.node.price.currency);
    comparison.priceDate = toQString(time.node.price.date);
    comparison.band = time.band();
    if (time.node.calibration)
        comparison.calibrated = toQString(time.node.calibration->date);
    if (comparison.measured)
        completeBy(time, facts, *comparison.measured);
}

QString layoutChange(const RunFacts& facts, const StepTable& steps)
{
    if (!facts.attempt)
        return {};
    const QString before = layoutSummary(*facts.spec);
    const QString now = layoutSummary(facts.attempt->spec);
    if (now == before)
        return {};
    const std::vector<RunAttempt> attempts = steps.attempts();
    const auto begun = std::ranges::find(attempts, facts.attempt->attempt, &RunAttempt::number);
    const QString since = begun == attempts.end()
                              ? QString()
                              : QObject::tr(" since step %1").arg(displayCount(begun->firstStep));
    return QObject::tr("Attempt %1 runs as %2%3; the run was launched as %4.")
        .arg(QString::number(facts.attempt->attempt), now, since, before);
}

QString whyNoTime(const Result<PlannedRun>& plan)
{
    if (!plan.ok())
        return QStringLiteral("No plan: ") + toQString(plan.error().text()) + QLatin1Char('.');
    if (!plan->time.ok())
        return QStringLiteral("No planned time: ") + toQString(plan->time.error().text()) + QLatin1Char('.');
    return QStringLiteral("No planned time: the hardware of the nodes is unknown. Choose it in Design, or "
                          "measure it with Calibrate in Hosts or `trainyard calibrate`.");
}

} // namespace

std::optional<RunPace> usualStep(const StepTable& steps, const StepSpan& span)
{
    if (steps.isEmpty())
        return std::nullopt;
    const RowRange range = rowsOf(steps, span);
    if (range.begin >= range.end)
        return std::nullopt;
    const QList<qsizetype> rows = usualRows(steps, range);
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
    comparison.memory = deviceMemory(facts, series, plannedMemory(facts));
    comparison.measured = usualStep(
        series.steps(), facts.phase ? StepSpan{facts.phase->firstStep, facts.phase->lastStep} : StepSpan());
    comparison.phase = facts.phase ? facts.phase->title : QString();
    comparison.layoutChange = layoutChange(facts, series.steps());
    if (plan.ok() && plan->hasTime())
        compareTime(**plan->time, facts, comparison);
    else
        comparison.whyNoTime = whyNoTime(plan);
    return comparison;
}

namespace {

constexpr double kUnknown = RunPace::kUnknown;

using Display = std::function<QString(double)>;

QString differenceText(double planned, double measured)
{
    const double factor = measured / planned;
    return planned > 0 && std::isfinite(factor) ? displayChange(factor) : QStringLiteral("–");
}

QStringList comparedCells(double planned, double measured, const Display& display)
{
    return {display(planned), display(measured), differenceText(planned, measured)};
}

QStringList comparedColumns(const QStringList& first)
{
    return first +
           QStringList{QStringLiteral("planned"), QStringLiteral("measured"), QStringLiteral("difference")};
}

/// A metric of both sides, unknown where a side is.
QStringList comparedMetric(const PlanComparison& comparison, double RunPace::*metric, const Display& display)
{
    return comparedCells(comparison.planned ? *comparison.planned.*metric : kUnknown,
                         comparison.measured ? *comparison.measured.*metric : kUnknown, display);
}

double causeOf(const std::optional<RunPace>& pace, std::size_t cause)
{
    return pace ? pace->byCause[cause] : kUnknown;
}

double plannedTotal(const DeviceMemory& rank)
{
    return rank.planned ? static_cast<double>(totalOf(*rank.planned)) : kUnknown;
}

/// Sums over the ranks of one host.
struct HostSum {
    QString host;
    int ranks = 0;
    double planned = 0;
    double measured = 0;
};

QList<HostSum> sumsByHost(const QList<DeviceMemory>& ranks)
{
    QList<HostSum> sums;
    for (const DeviceMemory& rank : ranks) {
        if (sums.isEmpty() || sums.last().host != rank.host)
            sums.append({rank.host});
        HostSum& sum = sums.last();
        ++sum.ranks;
        sum.planned += plannedTotal(rank);
        sum.measured += static_cast<double>(rank.peak);
    }
    return sums;
}

} // namespace

TextTable stepTimeTable(const PlanComparison& comparison)
{
    TextTable table{comparedColumns({QStringLiteral("cause")}), {}};
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const double planned = causeOf(comparison.planned, i);
        const double measured = causeOf(comparison.measured, i);
        if (planned > 0 || measured > 0)
            table.rows << QStringList(toQString(nameOf(static_cast<CommonCause>(i)))) +
                              comparedCells(planned, measured, displaySeconds);
    }
    table.rows << QStringList(QStringLiteral("step")) +
                      comparedMetric(comparison, &RunPace::stepSeconds, displaySeconds);
    return table;
}

TextTable paceTable(const PlanComparison& comparison)
{
    TextTable table{comparedColumns({QStringLiteral("metric")}), {}};
    const auto add = [&](const QString& name, double RunPace::*metric, const Display& display) {
        table.rows << QStringList(name) + comparedMetric(comparison, metric, display);
    };
    add(QStringLiteral("sequences/s"), &RunPace::sequencesPerSecond, displayNumber);
    add(QStringLiteral("tokens/day"), &RunPace::tokensPerDay, displayLarge);
    add(QStringLiteral("MFU"), &RunPace::modelUtilization, displayPercent);
    add(QStringLiteral("HFU"), &RunPace::hardwareUtilization, displayPercent);
    const bool isAll = comparison.phase.isEmpty();
    add(isAll ? QStringLiteral("total time") : QStringLiteral("time of the phase"), &RunPace::days,
        [](double days) { return displaySeconds(days * 86400); });
    if (comparison.planned && std::isfinite(comparison.planned->cost))
        add((isAll ? QStringLiteral("total cost, %1 of %2") : QStringLiteral("cost of the phase, %1 of %2"))
                .arg(comparison.currency, comparison.priceDate),
            &RunPace::cost, displayNumber);
    return table;
}

TextTable rankMemoryTable(const QList<DeviceMemory>& ranks)
{
    TextTable table{comparedColumns({QStringLiteral("rank"), QStringLiteral("host")}), {}};
    for (const DeviceMemory& rank : ranks)
        table.rows << QStringList{rank.name, oneLine(rank.host)} +
                          comparedCells(plannedTotal(rank), static_cast<double>(rank.peak), displayBytes);
    return table;
}

TextTable hostMemoryTable(const QList<DeviceMemory>& ranks)
{
    TextTable table{comparedColumns({QStringLiteral("host"), QStringLiteral("ranks")}), {}};
    for (const HostSum& sum : sumsByHost(ranks))
        table.rows << QStringList{oneLine(sum.host), QString::number(sum.ranks)} +
                          comparedCells(sum.planned, sum.measured, displayBytes);
    return table;
}

TextTable categoryMemoryTable(const DeviceMemory& rank)
{
    TextTable table{comparedColumns({QStringLiteral("category")}), {}};
    for (std::size_t i = 0; i < kMemoryCategories; ++i)
        table.rows << QStringList(toQString(nameOf(static_cast<MemoryCategory>(i)))) +
                          comparedCells(rank.planned ? static_cast<double>((*rank.planned)[i]) : kUnknown,
                                        static_cast<double>(rank.categories[i]), displayBytes);
    table.rows << QStringList(QStringLiteral("all")) +
                      comparedCells(plannedTotal(rank), static_cast<double>(rank.peak), displayBytes);
    return table;
}

} // namespace trainyard
