#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "app/alerts/alert_rules.h"
#include "app/base/display_text.h"
#include "app/base/median.h"
#include "app/runs/run_phase.h"
#include "engine/planner/evaluation_schedule.h"
#include "engine/planner/layout/rank_grid.h"

namespace trainyard {

namespace {

constexpr qsizetype kUsualWindow = 100;  ///< steps that tell how long a step takes
constexpr qsizetype kMinUsualSteps = 20; ///< of them; with fewer nothing is usual yet
constexpr qsizetype kNewest = 8;         ///< steps that must be slow, at least; a late one is a checkpoint
constexpr double kNewestSeconds = 10;    ///< and so long they must have been slow: less is a hiccup
constexpr double kMaxShareOfNewest = 0.75;
constexpr std::size_t kMinCompared = 20; ///< steps of an attempt, before a rank is called slow
constexpr double kMaxShareOfCompared = 0.8;
constexpr double kLongestEvaluation = 2; ///< times the longest one so far, before the next one is overdue
constexpr double kMinGain = 0.02;        ///< s a step: what is less is not worth a word

/// Seconds of the steps before the newest `without`.
std::vector<double> stepTimes(const StepTable& steps, qsizetype without)
{
    const SeriesColumn& all = steps.column(StepColumn::StepSeconds);
    const qsizetype end = std::max<qsizetype>(0, all.size() - without);
    return {all.begin() + std::max<qsizetype>(0, end - kUsualWindow), all.begin() + end};
}

/// What the run's own supervisor found, if it has said it of the step that is missing.
const RunEvent* stallVerdict(const RunSeries& series)
{
    const auto& events = series.events();
    const auto found = std::find_if(events.rbegin(), events.rend(),
                                    [](const RunEvent& e) { return e.event.kind == "rank-stalled"; });
    if (found == events.rend() || found->attempt < series.status().attempt)
        return nullptr;
    const bool isOver = !series.steps().isEmpty() &&
                        double(found->time.wallNs) / 1e9 < series.steps().last(StepColumn::WallSeconds);
    return isOver ? nullptr : &*found;
}

/// An evaluation data set with another path is unknown here; then any number of rows is possible.
EvaluationSchedule scheduleOf(const RunSpec& spec, const RunFacts& facts)
{
    const bool isKnown = facts.dataSet && spec.evaluation.dataset.empty();
    return evaluationSchedule(spec, isKnown ? facts.dataSet->testRows
                                            : std::uint64_t{std::numeric_limits<std::int64_t>::max()});
}

/// Seconds that the evaluation after the newest step may take; 0 when none is due or it is done.
double evaluationSeconds(const ObservedRun& run, double usualStep)
{
    const EvaluationTable& evaluations = run.series.evaluations();
    const double step = run.series.steps().last(StepColumn::Step);
    if (!run.facts.specNow() || evaluations.last(EvaluationColumn::Step) >= step)
        return 0;
    const RunFacts facts = factsNow(run.facts, run.series);
    const EvaluationSchedule schedule = scheduleOf(*facts.specNow(), facts);
    const std::int64_t before = facts.phase ? facts.phase->firstStep - 1 : 0; // it counts from the phase
    if (!schedule.isDue(std::int64_t(step) - before))
        return 0;
    const SeriesColumn& seconds = evaluations.column(EvaluationColumn::Seconds);
    return seconds.isEmpty() ? usualStep * double(schedule.batches)
                             : kLongestEvaluation * seconds.summary(0, seconds.size()).max;
}

/// Seconds since the newest step or, if it was later, the evaluation after it.
double silence(const ObservedRun& run)
{
    const double stepEnd = run.series.steps().last(StepColumn::WallSeconds);
    const double evaluated = run.series.evaluations().last(EvaluationColumn::WallSeconds);
    return double(run.nowMs) / 1000 - (evaluated > stepEnd ? evaluated : stepEnd);
}

std::optional<Alert> stall(const ObservedRun& run, const AlertThresholds& thresholds)
{
    const StepTable& steps = run.series.steps();
    if (!run.isAtWork() || !run.isLive())
        return std::nullopt;
    const RunEvent* verdict = stallVerdict(run.series);
    if (steps.isEmpty() && !verdict)
        return std::nullopt; // start-up may take long; the supervisor looks after it
    const double usual = medianOf(stepTimes(steps, 0));
    const double silent = steps.isEmpty() ? 0 : silence(run);
    const double patience = std::max(thresholds.stallSeconds, thresholds.stallFactor * usual) +
                            (steps.isEmpty() ? 0 : evaluationSeconds(run, usual));
    if (!verdict && !(silent > patience))
        return std::nullopt;
    QString text = steps.isEmpty() ? QObject::tr("No step finished yet")
                                   : QObject::tr("No step finished for %1; one usually takes %2")
                                         .arg(displaySeconds(silent), displaySeconds(usual));
    if (verdict)
        text += QStringLiteral(": ") + oneLine(QString::fromStdString(verdict->event.message));
    return Alert{AlertKind::Stall,
                 {},
                 Severity::Error,
                 text,
                 verdict ? verdict->event.rank : std::nullopt,
                 steps.isEmpty() ? 0 : std::int64_t(steps.last(StepColumn::Step))};
}

/// How many of the newest steps the rule looks at; all of them when they took less than it asks for.
qsizetype newestSteps(const SeriesColumn& seconds)
{
    double sum = 0;
    qsizetype count = 0;
    while (count < seconds.size() && (count < kNewest || sum < kNewestSeconds))
        sum += seconds[seconds.size() - ++count];
    return count;
}

std::optional<Alert> slowSteps(const ObservedRun& run, double factor)
{
    const SeriesColumn& seconds = run.series.steps().column(StepColumn::StepSeconds);
    const qsizetype count = newestSteps(seconds);
    if (!run.isAtWork() || seconds.size() < kMinUsualSteps + count)
        return std::nullopt;
    const double usual = medianOf(stepTimes(run.series.steps(), count));
    const std::vector<double> newest(seconds.end() - count, seconds.end());
    const auto slow = std::ranges::count_if(newest, [&](double s) { return s > factor * usual; });
    const double now = medianOf(newest);
    if (double(slow) < kMaxShareOfNewest * double(count) || !(now > factor * usual))
        return std::nullopt;
    return Alert{AlertKind::SlowSteps,
                 {},
                 Severity::Warning,
                 QObject::tr("Steps take %1, %2 times the usual %3")
                     .arg(displaySeconds(now), displayNumber(now / usual), displaySeconds(usual)),
                 {},
                 std::int64_t(run.series.steps().last(StepColumn::Step))};
}

/// Ranks that have the same to compute: those of one pipeline stage.
std::map<int, std::vector<int>> ranksOfStages(const ObservedRun& run)
{
    const int ranks = int(run.series.ranks().size());
    const RunSpec* spec = run.facts.specNow();
    const auto grid = spec && spec->layout.worldSize() == ranks
                          ? std::optional(RankGrid::create(spec->layout))
                          : std::nullopt;
    std::map<int, std::vector<int>> stages;
    for (int rank = 0; rank < ranks; ++rank)
        stages[grid && grid->ok() ? (*grid)->coordOf(Rank{rank}).pipeline : 0].push_back(rank);
    return stages;
}

/// Of two ranks the slower one must not be its own measure, so the lower median.
double stageSeconds(const std::vector<float>& byRank, const std::vector<int>& members)
{
    std::vector<float> seconds;
    for (const int rank : members)
        seconds.push_back(byRank[std::size_t(rank)]);
    const auto middle = seconds.begin() + std::ptrdiff_t((seconds.size() - 1) / 2);
    std::ranges::nth_element(seconds, middle);
    return *middle;
}

/// A rank beside its stage over the newest steps.
struct Comparison {
    double slowShare = 0;     ///< of the steps, in which it took more than the factor
    double seconds = 0;       ///< median
    double ratio = 0;         ///< median
    double secondsBehind = 0; ///< median
};

Comparison compare(const NewestCompute& steps, int rank, const std::vector<double>& ofStage, double factor)
{
    Comparison comparison;
    std::vector<double> own, ratios, behind;
    for (std::size_t step = 0; step < steps.size(); ++step) {
        own.push_back(steps[step][std::size_t(rank)]);
        ratios.push_back(own.back() / ofStage[step]);
        behind.push_back(own.back() - ofStage[step]);
        comparison.slowShare += own.back() > factor * ofStage[step] ? 1 : 0;
    }
    comparison.slowShare /= double(steps.size());
    comparison.seconds = medianOf(std::move(own));
    comparison.ratio = medianOf(std::move(ratios));
    comparison.secondsBehind = medianOf(std::move(behind));
    return comparison;
}

Alert straggler(const RunSeries& series, int rank, const Comparison& comparison)
{
    return {
        AlertKind::Straggler,
        QObject::tr("rank %1").arg(rank),
        Severity::Warning,
        QObject::tr("Rank %1 computes %2 per step, %3 times as long as its peers")
            .arg(QString::number(rank), displaySeconds(comparison.seconds), displayNumber(comparison.ratio)),
        rank,
        std::int64_t(series.steps().last(StepColumn::Step))};
}

QList<Alert> stragglers(const ObservedRun& run, double factor)
{
    QList<Alert> alerts;
    const NewestCompute& steps = run.series.newestCompute();
    if (!run.isAtWork() || steps.size() < kMinCompared)
        return alerts;
    for (const auto& [stage, members] : ranksOfStages(run)) {
        std::vector<double> ofStage;
        for (const std::vector<float>& byRank : steps)
            ofStage.push_back(stageSeconds(byRank, members));
        for (const int rank : members) {
            const Comparison comparison = compare(steps, rank, ofStage, factor);
            if (comparison.slowShare >= kMaxShareOfCompared && comparison.secondsBehind > kMinGain)
                alerts.append(straggler(run.series, rank, comparison));
        }
    }
    return alerts;
}

} // namespace

QList<Alert> paceAlerts(const ObservedRun& run, const AlertThresholds& thresholds)
{
    QList<Alert> alerts;
    if (const auto alert = stall(run, thresholds))
        alerts.append(*alert);
    if (const auto alert = slowSteps(run, thresholds.stepFactor))
        alerts.append(*alert);
    return alerts + stragglers(run, thresholds.stragglerFactor);
}

} // namespace trainyard
