#include "app/base/display_text.h"
#include "app/report/sections.h"
#include "app/runs/run_phase.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

QString count(std::uint64_t value)
{
    return displayCount(static_cast<qint64>(value));
}

void addManifestRows(const DataSetManifest& manifest, ReportTable& table)
{
    table.rows << QStringList{"training rows", count(manifest.trainingRows)}
               << QStringList{"shards", QString::number(manifest.shards)}
               << QStringList{"sequence length", QString::number(manifest.sequenceLength)}
               << QStringList{"masked positions per row",
                              manifest.maxPredictions == 0
                                  ? QStringLiteral("none: running text")
                                  : "at most " + QString::number(manifest.maxPredictions)}
               << QStringList{"documents", count(manifest.documents)}
               << QStringList{"tokens", count(manifest.tokens)}
               << QStringList{"vocabulary", displayCount(manifest.vocabularySize) + " entries, SHA-256 " +
                                                oneLine(manifest.vocabularySha256.left(16)) + "…"};
}

ReportTable tableOf(const RunFacts& facts)
{
    const DatasetSpec& dataset = facts.spec->dataset;
    ReportTable table{{},
                      {"property", "value"},
                      {{dataset.isMix() ? "mix by rows" : "folder",
                        oneLine(QString::fromStdString(dataset.text()))}}};
    if (dataset.isMix() && facts.dataSet)
        table.rows << QStringList{"the following is of", oneLine(QString::fromStdString(dataset.first()))};
    if (facts.dataSet)
        addManifestRows(*facts.dataSet, table);
    else
        table.rows << QStringList{"manifest", "not readable from this machine"};
    return table;
}

} // namespace

ReportSection datasetSection(const Runs& runs)
{
    ReportSection section{"Data set", {}};
    QStringList seen;
    for (const RecordedRun& run : runs) {
        const int phases = run.facts.spec ? phaseCount(*run.facts.spec) : 0;
        for (int phase = 0; phase < phases; ++phase) {
            const RunFacts facts = factsOfPhase(run.facts, phase);
            const QString data = QString::fromStdString(facts.spec->dataset.text());
            if (seen.contains(data))
                continue;
            seen << data;
            section.blocks << tableOf(facts);
        }
    }
    return section;
}

} // namespace trainyard
