#include "app/history/model/run_comparison.h"

#include <algorithm>

#include "app/base/display_text.h"
#include "app/runs/open_run.h"
#include "app/runs/run_database.h"
#include "app/runs/time_to_target.h"
#include "engine/spec/field_changes.h"

namespace trainyard {

QStringList labelsOf(const QList<const OpenRun*>& runs)
{
    QStringList names;
    for (const OpenRun* run : runs)
        names.append(oneLine(run->facts().name()));
    QStringList labels = names;
    for (qsizetype i = 0; i < runs.size(); ++i) {
        if (names.count(names[i]) > 1)
            labels[i] += QStringLiteral(" (%1)").arg(shortRunId(runs[i]->id()));
    }
    return labels;
}

SpecFields specFieldsOf(const OpenRun& run)
{
    SpecFields fields;
    if (run.facts().spec) {
        for (const auto& [path, value] : fieldTexts(*run.facts().spec))
            fields[QString::fromStdString(path)] = oneLine(QString::fromStdString(value));
    }
    fields.erase(QStringLiteral("name"));
    return fields;
}

TextTable specificationDifferences(const QList<const OpenRun*>& runs)
{
    TextTable table{QStringList{QStringLiteral("field")} + labelsOf(runs), {}};
    QList<SpecFields> all;
    SpecFields paths;
    for (const OpenRun* run : runs) {
        all.append(specFieldsOf(*run));
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
        points.append({run->id(), entry.worldSize, batch, entry.sequencesPerSecond,
                       run->facts().spec ? timeToTarget(*run->facts().spec, run->series()) : std::nullopt});
    }
    return scalingTable(points);
}

TextTable scalingText(const QList<ScalingRow>& rows)
{
    TextTable table{{QStringLiteral("Ranks"), QStringLiteral("seq/s"), QStringLiteral("Speed-up"),
                     QStringLiteral("Efficiency"), QStringLiteral("Batch"), QStringLiteral("Runs")},
                    {}};
    const bool hasTargets =
        std::ranges::any_of(rows, [](const ScalingRow& row) { return row.toTarget.has_value(); });
    if (hasTargets)
        table.columns << QStringLiteral("Time to target");
    for (const ScalingRow& row : rows) {
        table.rows.append({displayCount(row.worldSize), displayNumber(row.sequencesPerSecond),
                           QString::number(row.speedup, 'f', 2), displayPercent(row.efficiency),
                           displayCount(row.globalBatch), displayCount(row.runs)});
        if (hasTargets)
            table.rows.last() << (row.toTarget ? displaySeconds(row.toTarget->seconds) : QStringLiteral("–"));
    }
    return table;
}

} // namespace trainyard
