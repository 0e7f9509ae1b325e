#include "app/monitor/model/evaluation_text.h"

#include <QObject>

#include "app/base/display_text.h"
#include "app/runs/named_series.h"
#include "app/runs/run_series.h"

namespace trainyard {

TextTable evaluationText(const RunFacts& facts, const RunSeries& series)
{
    const EvaluationTable& evaluations = series.evaluations();
    const std::vector<EvaluationSeries> metrics = evaluationSeries(facts, series);
    const SeriesColumn tokens = evaluations.positions(series.steps(), StepColumn::Tokens);
    const qsizetype lowest = evaluations.lowestLossRow();
    TextTable table{{QObject::tr("step"), QObject::tr("tokens")}, {}};
    for (const EvaluationSeries& metric : metrics)
        table.columns << metric.shortTitle();
    table.columns << QObject::tr("took");
    for (qsizetype row = evaluations.size() - 1; row >= 0; --row) {
        const EvaluationRecord evaluation = evaluations.at(row);
        QStringList cells{displayCount(evaluation.step),
                          tokens.isEmpty() ? QStringLiteral("–") : displayLarge(tokens[row])};
        for (const EvaluationSeries& metric : metrics)
            cells << figureText(metric.values[row], metric.quantity);
        if (row == lowest)
            cells[2].prepend(QStringLiteral("★ "));
        table.rows << (cells << displaySeconds(evaluation.seconds));
    }
    return table;
}

} // namespace trainyard
