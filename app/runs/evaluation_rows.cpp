#include "app/runs/evaluation_rows.h"

#include <QObject>

#include "app/base/display_text.h"
#include "app/base/phase_label.h"
#include "app/runs/named_series.h"
#include "app/runs/recorded_run.h"
#include "engine/spec/phases/phases.h"

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
    const bool hasPhases = facts.spec && !facts.spec->phases.empty();
    if (hasPhases)
        table.columns << QObject::tr("phase");
    for (qsizetype row = 0; row < evaluations.size(); ++row) {
        const EvaluationRecord evaluation = evaluations.at(row);
        QStringList cells{displayCount(evaluation.step),
                          tokens.isEmpty() ? QStringLiteral("–") : displayLarge(tokens[row])};
        for (const EvaluationSeries& one : metrics)
            cells << figureText(one.values[row], one.quantity);
        cells << displaySeconds(evaluation.seconds);
        if (hasPhases)
            cells << phaseLabel(*facts.spec, phaseOfStep(*facts.spec, evaluation.step));
        table.rows << cells;
    }
    return table;
}

} // namespace trainyard
