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

std::optional<std::string> reasonToEnd(const EvaluationSpec& spec, const EvaluationState& state)
{
    const bool isReached = state.bestStep > 0 && reaches(state.best, spec.target, spec.metric);
    if (spec.target > 0 && isReached)
        return fmt::format("held-out {} {:.6g} at step {} reaches evaluation.target {:.6g}",
                           nameOf(spec.metric), state.best, state.bestStep, spec.target);
    if (spec.patience > 0 && state.sinceBest >= spec.patience)
        return fmt::format("held-out {} has not improved in {} evaluations since {:.6g} at step {} "
                           "(evaluation.patience)",
                           nameOf(spec.metric), state.sinceBest, state.best, state.bestStep);
    return std::nullopt;
}

} // namespace trainyard
