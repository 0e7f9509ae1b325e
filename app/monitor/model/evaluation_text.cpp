#include "app/monitor/model/evaluation_text.h"

#include <algorithm>

#include "app/runs/evaluation_rows.h"
#include "app/runs/named_series.h"
#include "app/runs/recorded_run.h"
#include "app/runs/time_to_target.h"

namespace trainyard {

namespace {

/// Name of the series that evaluation.metric names.
QString judgedSeries(const RunFacts& facts, EvaluationMetric metric)
{
    if (metric == EvaluationMetric::Loss)
        return QStringLiteral("loss");
    const TaskKind task = facts.spec ? facts.spec->model.task.kind : TaskKind::None;
    if (task == TaskKind::Answer)
        return QStringLiteral("exact_match");
    return task == TaskKind::None && !isDecoder(familyOf(facts)) ? QStringLiteral("mlm_accuracy")
                                                                 : QStringLiteral("accuracy");
}

void markBest(TextTable& table, const RunFacts& facts, const RunSeries& series)
{
    const EvaluationMetric metric = facts.spec ? targetOf(*facts.spec).metric : EvaluationMetric::Loss;
    const qsizetype best = series.evaluations().bestRow(metric);
    const auto metrics = evaluationSeries(facts, series);
    const auto judged = std::ranges::find(metrics, judgedSeries(facts, metric), &EvaluationSeries::name);
    if (best >= 0 && judged != metrics.end())
        table.rows[best][kFirstMetricColumn + (judged - metrics.begin())].prepend(QStringLiteral("★ "));
}

} // namespace

TextTable evaluationText(const RunFacts& facts, const RunSeries& series)
{
    TextTable table = withSentenceHeadings(evaluationRows(facts, series));
    markBest(table, facts, series);
    std::ranges::reverse(table.rows);
    return table;
}

} // namespace trainyard
