#include "app/base/display_text.h"
#include "app/report/sections.h"

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

} // namespace

ReportSection datasetSection(const Runs& runs)
{
    ReportSection section{"Data set", {}};
    QStringList seen;
    for (const RecordedRun& run : runs) {
        if (!run.facts.spec || seen.contains(QString::fromStdString(run.facts.spec->dataset.path)))
            continue;
        seen << QString::fromStdString(run.facts.spec->dataset.path);
        ReportTable table{{}, {"property", "value"}, {{"folder", oneLine(seen.last())}}};
        if (run.facts.dataSet)
            addManifestRows(*run.facts.dataSet, table);
        else
            table.rows << QStringList{"manifest", "not readable from this machine"};
        section.blocks << table;
    }
    return section;
}

} // namespace trainyard
