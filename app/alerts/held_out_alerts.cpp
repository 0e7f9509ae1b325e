#include <algorithm>
#include <cmath>
#include <optional>

#include "app/alerts/alert_rules.h"
#include "app/base/display_text.h"

namespace trainyard {

namespace {

constexpr qsizetype kAveragedSteps = 50; ///< over which the noise of single batches cancels out

/// Mean of the training loss over the steps up to this one; NaN without any.
double trainingLossUntil(const StepTable& steps, double step)
{
    const SeriesColumn& losses = steps.column(StepColumn::Loss);
    const qsizetype end = steps.column(StepColumn::Step).upperBound(step);
    double sum = 0;
    int count = 0;
    for (qsizetype row = std::max<qsizetype>(0, end - kAveragedSteps); row < end; ++row) {
        if (!std::isfinite(losses[row]))
            continue;
        sum += losses[row];
        ++count;
    }
    return count > 0 ? sum / count : std::nan("");
}

/// Each of the newest evaluations, after the best one, is at least `rise` above it. At a plateau the losses
/// are above their minimum too, but by less.
bool hasRisen(const EvaluationTable& evaluations, const AlertThresholds& thresholds)
{
    const SeriesColumn& losses = evaluations.column(EvaluationColumn::Loss);
    const qsizetype best = evaluations.lowestLossRow();
    const auto wanted = qsizetype(thresholds.heldOutEvaluations);
    const qsizetype first = evaluations.size() - wanted;
    if (best < 0 || first <= best)
        return false;
    const double limit = losses[best] * (1 + thresholds.heldOutRise);
    return std::all_of(losses.begin() + first, losses.end(), [limit](double loss) { return loss > limit; });
}

} // namespace

QList<Alert> heldOutAlerts(const ObservedRun& run, const AlertThresholds& thresholds)
{
    const EvaluationTable& evaluations = run.series.evaluations();
    if (!hasRisen(evaluations, thresholds))
        return {};
    const EvaluationRecord best = evaluations.at(evaluations.lowestLossRow());
    const EvaluationRecord newest = evaluations.at(evaluations.size() - 1);
    const double before = trainingLossUntil(run.series.steps(), double(best.step));
    const double now = trainingLossUntil(run.series.steps(), double(newest.step));
    if (!(now < before)) // both rise: that is a divergence
        return {};
    return {Alert{
        AlertKind::Overfitting,
        {},
        Severity::Warning,
        QObject::tr("The held-out loss rose from %1 after step %2 to %3 after step %4, while the training "
                    "loss fell from %5 to %6")
            .arg(displayLoss(best.loss), displayCount(best.step), displayLoss(newest.loss),
                 displayCount(newest.step), displayLoss(before), displayLoss(now)),
        {},
        best.step}};
}

} // namespace trainyard
