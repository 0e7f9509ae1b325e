#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "app/alerts/alert_rules.h"
#include "app/base/display_text.h"
#include "app/base/median.h"

namespace trainyard {

namespace {

constexpr qsizetype kLookBack = 2000;       ///< rows; what went on for longer is the run's new normal
constexpr qsizetype kMinBaselineSteps = 50; ///< steps before which nothing is usual yet
constexpr double kMemory = 100;             ///< steps over which the baseline forgets
constexpr qsizetype kSustained = 5;         ///< a divergence shows in the median of so many losses
constexpr double kMinSpread = 0.02;         ///< of the mean: a loss that hardly moves is no reason for alarm
constexpr qsizetype kShown = 20;            ///< steps for which a single bad step is told
constexpr qsizetype kSpikeWindow = 100;

/// The newest values that are finite, each with its row.
struct Tail {
    std::vector<double> values;
    std::vector<qsizetype> rows;
};

Tail finiteTail(const SeriesColumn& column)
{
    Tail tail;
    for (qsizetype row = std::max<qsizetype>(0, column.size() - kLookBack); row < column.size(); ++row) {
        if (!std::isfinite(column[row]))
            continue;
        tail.values.push_back(column[row]);
        tail.rows.push_back(row);
    }
    return tail;
}

/// What was usual: the exponential mean, and the spread by differences of neighbours (von Neumann et al.,
/// "The mean square successive difference", 1941), to which a loss that falls adds nothing. A difference
/// counts for no more than kMaxSpreads, so that a divergence does not make itself usual.
class Baseline {
public:
    explicit Baseline(std::span<const double> first) : m_last(first.front())
    {
        for (const double value : first) {
            m_mean += value / static_cast<double>(first.size());
            m_variance += halfSquare(value - m_last) / static_cast<double>(first.size());
            m_last = value;
        }
    }

    double mean() const { return m_mean; }
    double deviations(double value) const { return (value - m_mean) / spread(); }
    void take(double value)
    {
        constexpr double kWeight = 2 / (kMemory + 1);
        constexpr double kMaxSpreads = 3;
        const double most = kMaxSpreads * spread();
        m_mean += kWeight * (value - m_mean);
        m_variance += kWeight * (std::min(halfSquare(value - m_last), most * most) - m_variance);
        m_last = value;
    }

private:
    static double halfSquare(double difference) { return difference * difference / 2; }
    double spread() const { return std::max(std::sqrt(m_variance), kMinSpread * std::fabs(m_mean)); }

    double m_last;
    double m_mean = 0;
    double m_variance = 0;
};

struct Divergence {
    qsizetype row = 0; ///< at which it began
    double now = 0;    ///< median of the newest losses
    double usual = 0;
    double deviations = 0;
};

/// While it lasts the baseline stands still, so that a divergence does not become usual while one looks; a
/// single absurd loss is neither a divergence nor usual.
std::optional<Divergence> findDivergence(const Tail& tail, double limit)
{
    const auto count = static_cast<qsizetype>(tail.values.size());
    if (count < kMinBaselineSteps + kSustained)
        return std::nullopt;
    Baseline usual(std::span(tail.values).first(kMinBaselineSteps));
    std::optional<Divergence> found;
    for (qsizetype i = kMinBaselineSteps + kSustained - 1; i < count; ++i) {
        const auto last = tail.values.begin() + i + 1;
        const double now = medianOf({last - kSustained, last});
        const double deviations = usual.deviations(now);
        if (deviations > limit) {
            const qsizetype began =
                found ? found->row : tail.rows[static_cast<std::size_t>(i - kSustained / 2)];
            found = {began, now, usual.mean(), deviations};
            continue;
        }
        found.reset();
        if (const double value = tail.values[static_cast<std::size_t>(i)]; usual.deviations(value) <= limit)
            usual.take(value);
    }
    return found;
}

std::int64_t stepAt(const RunSeries& series, qsizetype row)
{
    return static_cast<std::int64_t>(series.steps().column(StepColumn::Step)[row]);
}

/// The newest row of those that are told with a value that is not finite; a step that float16 skipped has
/// none.
std::optional<qsizetype> rowNotFinite(const StepTable& steps, StepColumn column)
{
    const SeriesColumn& values = steps.column(column);
    for (qsizetype row = values.size() - 1; row >= std::max<qsizetype>(0, values.size() - kShown); --row) {
        if (!std::isfinite(values[row]) && !steps.isSkipped(row))
            return row;
    }
    return std::nullopt;
}

/// As the ranks of this attempt told it.
std::optional<Alert> newestEvent(const ObservedRun& run, std::string_view kind, AlertKind alert)
{
    const auto& events = run.series.events();
    const auto event = std::find_if(events.rbegin(), events.rend(),
                                    [kind](const RunEvent& e) { return e.event.kind == kind; });
    if (event == events.rend() || event->attempt < run.series.status().attempt)
        return std::nullopt;
    return Alert{alert,
                 {},
                 Severity::Error,
                 oneLine(QString::fromStdString(event->event.message)),
                 event->event.rank,
                 event->event.step};
}

/// A worker that meets one ends the run with an event and without a step record.
std::optional<Alert> notFinite(const ObservedRun& run)
{
    for (const StepColumn column : {StepColumn::Loss, StepColumn::GradientNorm}) {
        const auto row = rowNotFinite(run.series.steps(), column);
        if (!row)
            continue;
        const auto step = stepAt(run.series, *row);
        const QString what = column == StepColumn::Loss ? QObject::tr("loss") : QObject::tr("gradient norm");
        return Alert{AlertKind::NotFinite,
                     {},
                     Severity::Error,
                     QObject::tr("The %1 of step %2 is not finite").arg(what, displayCount(step)),
                     {},
                     step};
    }
    return newestEvent(run, "not-finite", AlertKind::NotFinite);
}

std::optional<Alert> divergence(const ObservedRun& run, double limit)
{
    const auto found = findDivergence(finiteTail(run.series.steps().column(StepColumn::Loss)), limit);
    if (!found)
        return std::nullopt;
    const std::int64_t step = stepAt(run.series, found->row);
    return Alert{
        AlertKind::Divergence,
        {},
        Severity::Error,
        QObject::tr("The loss has been %1 since about step %2; it was %3, %4 standard deviations lower")
            .arg(displayLoss(found->now), displayCount(step), displayLoss(found->usual),
                 displayNumber(found->deviations)),
        {},
        step};
}

std::optional<Alert> gradientSpike(const ObservedRun& run, double factor)
{
    const SeriesColumn& norms = run.series.steps().column(StepColumn::GradientNorm);
    for (qsizetype row = norms.size() - 1; row >= std::max(kMinBaselineSteps, norms.size() - kShown); --row) {
        if (!std::isfinite(norms[row]))
            continue;
        const double usual =
            medianOf({norms.begin() + std::max<qsizetype>(0, row - kSpikeWindow), norms.begin() + row});
        if (!(usual > 0 && norms[row] > factor * usual))
            continue;
        const std::int64_t step = stepAt(run.series, row);
        return Alert{AlertKind::GradientSpike,
                     {},
                     Severity::Warning,
                     QObject::tr("The gradient norm of step %1 was %2, %3 times the usual %4")
                         .arg(displayCount(step), displayNumber(norms[row]),
                              displayNumber(norms[row] / usual), displayNumber(usual)),
                     {},
                     step};
    }
    return std::nullopt;
}

} // namespace

QList<Alert> trainingAlerts(const ObservedRun& run, const AlertThresholds& thresholds)
{
    QList<Alert> alerts;
    for (const auto& alert :
         {notFinite(run), newestEvent(run, "replicas-differ", AlertKind::ReplicasDiffer),
          divergence(run, thresholds.lossDeviations), gradientSpike(run, thresholds.gradientFactor)}) {
        if (alert)
            alerts.append(*alert);
    }
    return alerts;
}

} // namespace trainyard
