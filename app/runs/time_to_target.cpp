#include "app/runs/time_to_target.h"

#include "app/runs/run_series.h"
#include "engine/records/evaluation_metrics.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

EvaluationSpec targetOf(const RunSpec& run)
{
    return specOfPhase(run, phaseCount(run) - 1).evaluation;
}

bool haveSameTarget(const EvaluationSpec& a, const EvaluationSpec& b)
{
    return a.target == b.target && a.metric == b.metric;
}

std::int64_t stepsBeforeTarget(const RunSpec& run)
{
    return stepsBefore(run, phaseCount(run) - 1);
}

std::optional<TimeToTarget> timeToTarget(const RunSpec& run, const RunSeries& series)
{
    return timeToTarget(targetOf(run), series, stepsBeforeTarget(run));
}

std::optional<TimeToTarget> timeToTarget(const EvaluationSpec& evaluation, const RunSeries& series,
                                         std::int64_t from)
{
    const EvaluationTable& table = series.evaluations();
    const StepTable& steps = series.steps();
    if (evaluation.target <= 0 || steps.isEmpty())
        return std::nullopt;
    double evaluated = 0;
    for (qsizetype row = 0; row < table.size(); ++row) {
        const EvaluationRecord record = table.at(row);
        const double value = metricOf(record, evaluation.metric);
        evaluated += record.seconds;
        if (record.step <= from || !reaches(value, evaluation.target, evaluation.metric))
            continue;
        const qsizetype at = steps.nearestRow(StepColumn::Step, static_cast<double>(record.step));
        return TimeToTarget{record.step, value, steps.column(StepColumn::TrainingSeconds)[at] + evaluated,
                            steps.column(StepColumn::Tokens)[at]};
    }
    return std::nullopt;
}

} // namespace trainyard
