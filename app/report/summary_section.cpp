#include <algorithm>

#include "app/base/display_text.h"
#include "app/plan/layout_summary.h"
#include "app/report/sections.h"
#include "app/runs/run_database.h"
#include "app/runs/run_phase.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

const QString kUnknown = QStringLiteral("–");

QString ofSpec(const RecordedRun& run, QString (*text)(const RunSpec& spec))
{
    return run.facts.spec ? text(*factsNow(run.facts, run.series).specNow()) : kUnknown;
}

QString stepsText(const RecordedRun& run)
{
    const StepTable& steps = run.series.steps();
    const auto last = steps.isEmpty() ? 0 : static_cast<qint64>(steps.last(StepColumn::Step));
    return QStringLiteral("%1 of %2").arg(displayCount(last), displayCount(run.series.status().steps));
}

QString timeText(std::int64_t wallNs)
{
    return wallNs ? QString::fromStdString(utcText(wallNs)) : kUnknown;
}

QString lastText(const RecordedRun& run, StepColumn column, QString (*display)(double))
{
    return display(run.series.steps().last(column));
}

/// What a summary says of a run.
struct Fact {
    QString name;
    bool amongOthers; ///< also in the table of several runs, which has to fit on a page
    QString (*text)(const RecordedRun& run);
};

const QList<Fact>& facts()
{
    static const QList<Fact> list{
        {"state", true, [](const RecordedRun& run) { return toQString(nameOf(run.series.status().state)); }},
        {"model", true,
         [](const RecordedRun& run) {
             return ofSpec(run, [](const RunSpec& spec) { return modelWords(spec.model); });
         }},
        {"parameters", false,
         [](const RecordedRun& run) {
             return ofSpec(run, [](const RunSpec& spec) { return displayCount(parameterCount(spec.model)); });
         }},
        {"ranks", true, [](const RecordedRun& run) { return QString::number(worldSizeOf(run)); }},
        {"hosts", false, [](const RecordedRun& run) { return QString::number(run.facts.hosts.size()); }},
        {"layout", false, [](const RecordedRun& run) { return ofSpec(run, layoutSummary); }},
        {"memory optimizations", false,
         [](const RecordedRun& run) {
             return ofSpec(run, [](const RunSpec& spec) {
                 const QString measures = memoryMeasures(spec.memory);
                 return measures.isEmpty() ? QStringLiteral("none") : measures;
             });
         }},
        {"global batch", true,
         [](const RecordedRun& run) {
             return ofSpec(run, [](const RunSpec& spec) { return QString::number(spec.batch.global); });
         }},
        {"steps", true, stepsText},
        {"loss", true, [](const RecordedRun& run) { return lastText(run, StepColumn::Loss, displayLoss); }},
        {"sequences/s", true,
         [](const RecordedRun& run) { return displayNumber(recentSequencesPerSecond(run.series)); }},
        {"tokens/s", false,
         [](const RecordedRun& run) { return lastText(run, StepColumn::TokensPerSecond, displayNumber); }},
        {"training time", true,
         [](const RecordedRun& run) { return lastText(run, StepColumn::TrainingSeconds, displaySeconds); }},
        {"attempts", false,
         [](const RecordedRun& run) { return QString::number(run.series.status().attempt); }},
        {"started", false, [](const RecordedRun& run) { return timeText(run.series.status().firstNs); }},
        {"last update", false, [](const RecordedRun& run) { return timeText(run.series.newestNs()); }}};
    return list;
}

ReportTable tableOfOne(const RecordedRun& run)
{
    ReportTable table{{}, {"property", "value"}, {}};
    for (const Fact& fact : facts())
        table.rows << QStringList{fact.name, fact.text(run)};
    if (const QString phase = phaseText(run.facts, run.series); !phase.isEmpty())
        table.rows << QStringList{"phase", phase};
    return table;
}

ReportTable tableOfSeveral(const Runs& runs)
{
    ReportTable table{{}, {"run"}, {}};
    for (const RecordedRun& run : runs)
        table.rows << QStringList{labelOf(run, runs)};
    for (const Fact& fact : facts()) {
        if (!fact.amongOthers)
            continue;
        table.columns << fact.name;
        for (std::size_t i = 0; i < runs.size(); ++i)
            table.rows[static_cast<qsizetype>(i)] << fact.text(runs[i]);
    }
    return table;
}

} // namespace

ReportTable captioned(const QString& caption, const TextTable& table)
{
    return {caption, table.columns, table.rows};
}

QString labelOf(const RecordedRun& run, const Runs& runs)
{
    const QString name = oneLine(run.facts.name());
    const auto same = std::ranges::count_if(
        runs, [&](const RecordedRun& other) { return other.facts.name() == run.facts.name(); });
    return same > 1 ? name + " " + shortRunId(run.facts.id) : name;
}

QStringList labelsOf(const Runs& runs)
{
    QStringList labels;
    for (const RecordedRun& run : runs)
        labels << labelOf(run, runs);
    return labels;
}

QString modelWords(const ModelSpec& model)
{
    if (!model.preset.empty())
        return oneLine(QString::fromStdString(model.preset));
    return QStringLiteral("%1 of %2 x %3")
        .arg(toQString(nameOf(model.family)))
        .arg(model.layers)
        .arg(model.hidden);
}

int worldSizeOf(const RecordedRun& run)
{
    return run.facts.spec ? run.facts.specNow()->layout.worldSize()
                          : static_cast<int>(run.series.ranks().size());
}

ReportSection summarySection(const Runs& runs)
{
    ReportSection section{"Summary", {runs.size() == 1 ? tableOfOne(runs.front()) : tableOfSeveral(runs)}};
    for (const RecordedRun& run : runs) {
        if (!run.series.status().reason.isEmpty())
            section.blocks << labelOf(run, runs) + ": " + oneLine(run.series.status().reason);
    }
    return section;
}

} // namespace trainyard
