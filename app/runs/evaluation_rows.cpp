#include "app/runs/evaluation_rows.h"

#include <QObject>

#include "app/base/display_text.h"
#include "app/runs/named_series.h"
#include "app/runs/recorded_run.h"

namespace trainyard {

TextTable evaluationRows(const RunFacts& facts, const RunSeries& series)
{
    const EvaluationTable& evaluations = series.evaluations();
    const std::vector<EvaluationSeries> metrics = evaluationSeries(facts, series);
    const SeriesColumn tokens = evaluations.positions(series.steps(), StepColumn::Tokens);
    TextTable table{{QObject::tr("step"), QObject::tr("tokens")}, {}};
    for (const EvaluationSeries& one : metrics)
        table.columns << one.shortTitle();
    table.columns << QObject::tr("time");
    for (qsizetype row = 0; row < evaluations.size(); ++row) {
        const EvaluationRecord evaluation = evaluations.at(row);
        QStringList cells{displayCount(evaluation.step),
                          tokens.isEmpty() ? QStringLiteral("–") : displayLarge(tokens[row])};
        for (const EvaluationSeries& one : metrics)
            cells << figureText(one.values[row], one.quantity);
        table.rows << (cells << displaySeconds(evaluation.seconds));
    }
    return table;
}

} // namespace trainyard
