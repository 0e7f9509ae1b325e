#include <algorithm>
#include <cmath>
#include <map>

#include "app/models/alert_rules.h"
#include "app/models/display_text.h"
#include "app/models/median.h"
#include "engine/planner/rank_grid.h"

namespace trainyard {

namespace {

constexpr qsizetype kUsualWindow = 100; ///< steps that tell how long a step takes
constexpr qsizetype kFewest = 20;       ///< of them; with fewer nothing is usual yet
constexpr qsizetype kNewest = 5;
constexpr int kMostOfNewest = 3;    ///< a single late step is a checkpoint or a hiccup
constexpr double kLeastGain = 0.02; ///< s a step: what is less is not worth a word

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

std::optional<Alert> stall(const ObservedRun& run, const AlertThresholds& thresholds)
{
    const StepTable& steps = run.series.steps();
    if (!run.isAtWork() || !run.isLive())
        return std::nullopt;
    const RunEvent* verdict = stallVerdict(run.series);
    if (steps.isEmpty() && !verdict)
        return std::nullopt; // start-up may take long; the supervisor looks after it
    const double usual = medianOf(stepTimes(steps, 0));
    const double silent =
        steps.isEmpty() ? 0 : double(run.nowMs) / 1000 - steps.last(StepColumn::WallSeconds);
    const double patience = std::max(thresholds.stallSeconds, thresholds.stallFactor * usual);
    if (!verdict && !(silent > patience))
        return std::nullopt;
    QString text = steps.isEmpty() ? QObject::tr("No step is finished")
                                   : QObject::tr("No step is finished for %1; one usually takes %2")
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

std::optional<Alert> slowSteps(const ObservedRun& run, double factor)
{
    const SeriesColumn& seconds = run.series.steps().column(StepColumn::StepSeconds);
    if (!run.isAtWork() || seconds.size() < kFewest + kNewest)
        return std::nullopt;
    const double usual = medianOf(stepTimes(run.series.steps(), kNewest));
    const std::vector<double> newest(seconds.end() - kNewest, seconds.end());
    const auto slow = std::ranges::count_if(newest, [&](double s) { return s > factor * usual; });
    if (slow < kMostOfNewest)
        return std::nullopt;
    const double now = medianOf(newest);
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

double computeSeconds(const RankSummary& rank)
{
    return byCommonCause(rank.usual)[std::size_t(CommonCause::Compute)];
}

Alert straggler(const RunSeries& series, int rank, double median)
{
    const double seconds = computeSeconds(series.ranks()[std::size_t(rank)]);
    return {AlertKind::Straggler,
            QObject::tr("rank %1").arg(rank),
            Severity::Warning,
            QObject::tr("Rank %1 computes %2 in a step, %3 times as long as the ranks that do the same")
                .arg(QString::number(rank), displaySeconds(seconds), displayNumber(seconds / median)),
            rank,
            std::int64_t(series.steps().last(StepColumn::Step))};
}

QList<Alert> stragglers(const ObservedRun& run, double factor)
{
    QList<Alert> alerts;
    if (!run.isAtWork() || run.series.steps().size() < kFewest)
        return alerts;
    const std::vector<RankSummary>& ranks = run.series.ranks();
    for (const auto& [stage, members] : ranksOfStages(run)) {
        std::vector<double> seconds;
        for (const int rank : members)
            seconds.push_back(computeSeconds(ranks[std::size_t(rank)]));
        // Of two ranks the slower one must not be its own measure.
        std::ranges::sort(seconds);
        const double median = seconds[(seconds.size() - 1) / 2];
        for (const int rank : members) {
            const double own = computeSeconds(ranks[std::size_t(rank)]);
            if (own > factor * median && own - median > kLeastGain)
                alerts.append(straggler(run.series, rank, median));
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
