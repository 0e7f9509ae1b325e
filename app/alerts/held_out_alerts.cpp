#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "app/alerts/alert_rules.h"
#include "app/base/display_text.h"
#include "app/base/median.h"

namespace trainyard {

namespace {

constexpr qsizetype kAveragedSteps = 50; ///< over which the noise of single batches cancels out
constexpr double kMinErrorsFallen = 2;   ///< standard errors by which a lower mean is a fall
/// Standard deviations of the noise above the lowest loss. At a plateau the lowest of many losses is about
/// two below their mean.
constexpr double kMinDeviationsRisen = 4;

/// A mean with the square of its standard error.
struct MeanLoss {
    double value = 0;
    double squaredError = 0;
};

/// Of the training loss over the steps up to this one; nullopt with fewer than two.
std::optional<MeanLoss> trainingLossUntil(const StepTable& steps, double step)
{
    const SeriesColumn& losses = steps.column(StepColumn::Loss);
    const qsizetype end = steps.column(StepColumn::Step).upperBound(step);
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (qsizetype row = std::max<qsizetype>(0, end - kAveragedSteps); row < end; ++row) {
        if (!std::isfinite(losses[row]))
            continue;
        sum += losses[row];
        squares += losses[row] * losses[row];
        ++count;
    }
    if (count < 2)
        return std::nullopt;
    const double mean = sum / count;
    const double variance = std::max(0.0, squares / count - mean * mean);
    return MeanLoss{mean, variance / (count - 1)};
}

bool isBelow(const MeanLoss& now, const MeanLoss& before)
{
    return before.value - now.value > kMinErrorsFallen * std::sqrt(before.squaredError + now.squaredError);
}

/// Standard deviation of what varies from one evaluation to the next, from the second differences, which a
/// steady trend leaves at 0 and independent noise gives six times its variance. Skips the first half of the
/// way to the best evaluation, where the loss falls steeply.
double noiseOf(const SeriesColumn& losses, qsizetype best)
{
    constexpr double kDeviationsPerMedian = 1.4826; // of the absolute values of a normal distribution
    std::vector<double> differences;
    for (qsizetype row = std::max<qsizetype>(2, best / 2 + 2); row < losses.size(); ++row) {
        const double difference = losses[row] - 2 * losses[row - 1] + losses[row - 2];
        if (std::isfinite(difference))
            differences.push_back(std::fabs(difference));
    }
    return differences.empty() ? 0 : kDeviationsPerMedian * medianOf(std::move(differences)) / std::sqrt(6.0);
}

/// Each of the newest evaluations, after the best one, is above it by more than the threshold and the noise.
bool hasRisen(const EvaluationTable& evaluations, const AlertThresholds& thresholds)
{
    const SeriesColumn& losses = evaluations.column(EvaluationColumn::Loss);
    const qsizetype best = evaluations.lowestLossRow();
    const auto wanted = qsizetype(thresholds.heldOutEvaluations);
    const qsizetype first = evaluations.size() - wanted;
    if (best < 0 || first <= best)
        return false;
    const double limit = losses[best] + std::max(thresholds.heldOutRise * losses[best],
                                                 kMinDeviationsRisen * noiseOf(losses, best));
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
    const auto before = trainingLossUntil(run.series.steps(), double(best.step));
    const auto now = trainingLossUntil(run.series.steps(), double(newest.step));
    if (!before || !now || !isBelow(*now, *before)) // if both rise, the run diverges
        return {};
    return {Alert{
        AlertKind::Overfitting,
        {},
        Severity::Warning,
        QObject::tr("The held-out loss rose from %1 after step %2 to %3 after step %4, while the training "
                    "loss fell from %5 to %6")
            .arg(displayLoss(best.loss), displayCount(best.step), displayLoss(newest.loss),
                 displayCount(newest.step), displayLoss(before->value), displayLoss(now->value)),
        {},
        best.step}};
}

} // namespace trainyard
