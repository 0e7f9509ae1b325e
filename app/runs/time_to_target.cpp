#include "app/runs/time_to_target.h"

#include "app/runs/run_series.h"
#include "engine/records/evaluation_metrics.h"

namespace trainyard {

std::optional<TimeToTarget> timeToTarget(const EvaluationSpec& evaluation, const RunSeries& series)
{
    const EvaluationTable& table = series.evaluations();
    const SeriesColumn trained = table.positions(series.steps(), StepColumn::TrainingSeconds);
    const SeriesColumn tokens = table.positions(series.steps(), StepColumn::Tokens);
    if (evaluation.target <= 0 || trained.isEmpty())
        return std::nullopt;
    double evaluated = 0;
    for (qsizetype row = 0; row < table.size(); ++row) {
        const EvaluationRecord record = table.at(row);
        const double value = metricOf(record, evaluation.metric);
        evaluated += record.seconds;
        // As the worker decides it: what is not finite reaches nothing.
        if (value == evaluation.target || isBetter(value, evaluation.target, evaluation.metric))
            return TimeToTarget{record.step, value, trained[row] + evaluated, tokens[row]};
    }
    return std::nullopt;
}

} // namespace trainyard
