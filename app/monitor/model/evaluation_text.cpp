#include "app/monitor/model/evaluation_text.h"

#include <QObject>

#include "app/base/display_text.h"
#include "app/runs/named_series.h"
#include "app/runs/recorded_run.h"

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
    return task == TaskKind::None && familyOf(facts) == ModelFamily::Bert ? QStringLiteral("mlm_accuracy")
                                                                          : QStringLiteral("accuracy");
}

QString headingOf(const EvaluationSeries& series)
{
    const QString title = series.shortTitle();
    return title.left(1).toUpper() + title.mid(1);
}

} // namespace

TextTable evaluationText(const RunFacts& facts, const RunSeries& series)
{
    const EvaluationTable& evaluations = series.evaluations();
    const std::vector<EvaluationSeries> metrics = evaluationSeries(facts, series);
    const SeriesColumn tokens = evaluations.positions(series.steps(), StepColumn::Tokens);
    const EvaluationMetric metric = facts.spec ? facts.spec->evaluation.metric : EvaluationMetric::Loss;
    const qsizetype best = evaluations.bestRow(metric);
    const QString judged = judgedSeries(facts, metric);
    TextTable table{{QObject::tr("Step"), QObject::tr("Tokens")}, {}};
    for (const EvaluationSeries& one : metrics)
        table.columns << headingOf(one);
    table.columns << QObject::tr("Time");
    for (qsizetype row = evaluations.size() - 1; row >= 0; --row) {
        const EvaluationRecord evaluation = evaluations.at(row);
        QStringList cells{displayCount(evaluation.step),
                          tokens.isEmpty() ? QStringLiteral("–") : displayLarge(tokens[row])};
        for (const EvaluationSeries& one : metrics) {
            const QString text = figureText(one.values[row], one.quantity);
            cells << (row == best && one.name == judged ? QStringLiteral("★ ") + text : text);
        }
        table.rows << (cells << displaySeconds(evaluation.seconds));
    }
    return table;
}

} // namespace trainyard
