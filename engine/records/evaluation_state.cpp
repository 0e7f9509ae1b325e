#include "engine/records/evaluation_state.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/records/evaluation_metrics.h"
#include "engine/spec/names.h"

namespace trainyard {

bool EvaluationState::add(const EvaluationRecord& record, EvaluationMetric metric)
{
    const double value = metricOf(record, metric);
    step = record.step;
    if (!std::isfinite(value) || (bestStep > 0 && !isBetter(value, best, metric))) {
        ++sinceBest;
        return false;
    }
    bestStep = record.step;
    best = value;
    sinceBest = 0;
    return true;
}

namespace {

bool isTargetReached(const EvaluationSpec& spec, const EvaluationState& state)
{
    return spec.target > 0 && state.bestStep > 0 && reaches(state.best, spec.target, spec.metric);
}

} // namespace

std::optional<std::string> reasonToEnd(const EvaluationSpec& spec, const EvaluationState& state)
{
    if (isTargetReached(spec, state))
        return fmt::format("held-out {} {:.6g} at step {} reaches evaluation.target {:.6g}",
                           nameOf(spec.metric), state.best, state.bestStep, spec.target);
    if (spec.patience > 0 && state.sinceBest >= spec.patience)
        return fmt::format("held-out {} has not improved in {} evaluations since {:.6g} at step {} "
                           "(evaluation.patience)",
                           nameOf(spec.metric), state.sinceBest, state.best, state.bestStep);
    return std::nullopt;
}

std::optional<std::string> missedTarget(const EvaluationSpec& spec, const EvaluationState& state)
{
    if (spec.target <= 0 || isTargetReached(spec, state))
        return std::nullopt;
    if (state.bestStep == 0)
        return fmt::format("target {:.6g} not reached: the run has no evaluation", spec.target);
    return fmt::format("target {:.6g} not reached: best {:.6g} at step {}", spec.target, state.best,
                       state.bestStep);
}

} // namespace trainyard
