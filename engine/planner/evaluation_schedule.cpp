#include "engine/planner/evaluation_schedule.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

/// What a batch of evaluation takes of a step: the forward pass. The backward pass costs twice as much
/// (Narayanan et al., arXiv:2104.04473, section 2.2.1), so it is a third of both; more on devices where the
/// backward pass is the faster half, less where layers are computed again.
constexpr double kStepsPerBatch = 0.4;

/// Steps of which a batch of evaluation takes 2 %.
constexpr std::int64_t kStepsThatPayABatch = 20;

/// Few rows say little of the model, few evaluations little of its course: a short run divides what it can
/// afford between both.
constexpr double kEvaluationsPerBatch = 2;

std::int64_t roundedUp(std::uint64_t number, std::uint64_t divisor)
{
    return static_cast<std::int64_t>((number + divisor - 1) / divisor);
}

void chooseInterval(EvaluationSchedule& schedule)
{
    const std::int64_t affordable = schedule.steps / kStepsThatPayABatch;
    const auto balanced =
        static_cast<std::int64_t>(std::sqrt(static_cast<double>(affordable) / kEvaluationsPerBatch));
    schedule.batches = std::clamp(balanced, std::int64_t{1}, schedule.batches);
    const std::int64_t evaluations = std::max(affordable / schedule.batches, std::int64_t{1});
    schedule.everySteps = (schedule.steps + evaluations - 1) / evaluations;
}

} // namespace

bool EvaluationSchedule::isDue(std::int64_t step) const
{
    return isOn() && step > 0 && (step % everySteps == 0 || step == steps);
}

std::int64_t EvaluationSchedule::evaluations() const
{
    return isOn() ? (steps + everySteps - 1) / everySteps : 0;
}

double EvaluationSchedule::costShare() const
{
    const double asSteps = kStepsPerBatch * static_cast<double>(batches * evaluations());
    return steps > 0 ? asSteps / (asSteps + static_cast<double>(steps)) : 0;
}

EvaluationSchedule evaluationSchedule(const RunSpec& spec, std::uint64_t testRows)
{
    const auto perBatch = static_cast<std::uint64_t>(spec.batch.global);
    EvaluationSchedule schedule{.steps = spec.launch.steps};
    const bool isValid = spec.batch.global > 0 && spec.launch.steps > 0; // not always while a user types
    if (!spec.evaluation.isOn() || testRows == 0 || !isValid)
        return schedule;
    schedule.batches = std::min(std::int64_t{spec.evaluation.batches}, roundedUp(testRows, perBatch));
    if (spec.evaluation.everySteps > 0)
        schedule.everySteps = spec.evaluation.everySteps;
    else
        chooseInterval(schedule);
    schedule.rows = std::min(static_cast<std::uint64_t>(schedule.batches) * perBatch, testRows);
    return schedule;
}

} // namespace trainyard
