#include "app/models/run_comparison.h"

#include <algorithm>
#include <cmath>

#include "app/models/display_text.h"
#include "app/models/open_run.h"
#include "app/models/run_entry.h"
#include "app/models/spec_fields.h"

namespace trainyard {

namespace {

double smallest(const SeriesColumn& values)
{
    const ValueSummary all = values.summary(0, values.size());
    return all.finite > 0 ? all.least : std::nan("");
}

double largestPeak(const RunSeries& series)
{
    Bytes most = 0;
    for (const RankSummary& rank : series.ranks())
        most = std::max(most, rank.peak.peakTotal);
    return series.ranks().empty() ? std::nan("") : double(most);
}

/// The figures of one run, in the order of kFigureNames.
QStringList figuresOf(const OpenRun& run)
{
    RunEntry entry;
    updateEntry(entry, run.facts(), run.series());
    const StepTable& steps = run.series().steps();
    return {wordOf(conditionOf(entry.state)),
            QStringLiteral("%1 of %2").arg(displayCount(entry.step), displayCount(entry.steps)),
            displayCount(entry.worldSize),
            displayLoss(entry.loss),
            displayLoss(smallest(steps.column(StepColumn::Loss))),
            displayLoss(steps.last(StepColumn::MlmLoss)),
            displayLoss(steps.last(StepColumn::NspLoss)),
            displayNumber(entry.sequencesPerSecond),
            displayNumber(steps.last(StepColumn::TokensPerSecond)),
            displaySeconds(steps.last(StepColumn::TrainingSeconds)),
            displayNumber(steps.last(StepColumn::Tokens)),
            displayBytes(largestPeak(run.series())),
            displayCount(entry.attempt)};
}

const QStringList& figureNames()
{
    static const QStringList kNames{QStringLiteral("state"),
                                    QStringLiteral("step"),
                                    QStringLiteral("ranks"),
                                    QStringLiteral("last loss"),
                                    QStringLiteral("lowest loss"),
                                    QStringLiteral("last masked-LM loss"),
                                    QStringLiteral("last next-sentence loss"),
                                    QStringLiteral("sequences/s"),
                                    QStringLiteral("tokens/s"),
                                    QStringLiteral("training time"),
                                    QStringLiteral("tokens"),
                                    QStringLiteral("peak memory of a rank"),
                                    QStringLiteral("attempts")};
    return kNames;
}

} // namespace

QStringList labelsOf(const QList<const OpenRun*>& runs)
{
    QStringList names;
    for (const OpenRun* run : runs)
        names.append(oneLine(run->facts().name()));
    QStringList labels = names;
    for (qsizetype i = 0; i < runs.size(); ++i) {
        if (names.count(names[i]) > 1)
            labels[i] += QStringLiteral(" (%1)").arg(runs[i]->id().right(4));
    }
    return labels;
}

TextTable finalFigures(const QList<const OpenRun*>& runs)
{
    TextTable table{QStringList{QStringLiteral("figure")} + labelsOf(runs), {}};
    for (const QString& name : figureNames())
        table.rows.append(QStringList{name});
    for (const OpenRun* run : runs) {
        const QStringList figures = figuresOf(*run);
        for (qsizetype i = 0; i < figures.size(); ++i)
            table.rows[i].append(figures[i]);
    }
    return table;
}

TextTable specificationDifferences(const QList<const OpenRun*>& runs)
{
    TextTable table{QStringList{QStringLiteral("field")} + labelsOf(runs), {}};
    QList<SpecFields> all;
    SpecFields paths;
    for (const OpenRun* run : runs) {
        all.append(specFields(run->facts().specText));
        for (const auto& [path, value] : all.last())
            paths[path] = value;
    }
    for (const auto& [path, any] : paths) {
        QStringList values;
        for (const SpecFields& fields : all) {
            const auto found = fields.find(path);
            values.append(found == fields.end() ? QStringLiteral("–") : found->second);
        }
        if (values.count(values.first()) != values.size())
            table.rows.append(QStringList{path} + values);
    }
    return table;
}

QList<ScalingRow> scalingOf(const QList<const OpenRun*>& runs)
{
    QList<ScalingPoint> points;
    for (const OpenRun* run : runs) {
        RunEntry entry;
        updateEntry(entry, run->facts(), run->series());
        const int batch = run->facts().spec ? run->facts().spec->batch.global : 0;
        points.append({run->id(), entry.worldSize, batch, entry.sequencesPerSecond});
    }
    return scalingTable(points);
}

TextTable scalingText(const QList<ScalingRow>& rows)
{
    TextTable table{{QStringLiteral("ranks"), QStringLiteral("seq/s"), QStringLiteral("speed-up"),
                     QStringLiteral("efficiency"), QStringLiteral("batch"), QStringLiteral("runs")},
                    {}};
    for (const ScalingRow& row : rows) {
        table.rows.append({displayCount(row.worldSize), displayNumber(row.sequencesPerSecond),
                           QString::number(row.speedup, 'f', 2), displayPercent(row.efficiency),
                           displayCount(row.globalBatch), displayCount(row.runs)});
    }
    return table;
}

} // namespace trainyard
