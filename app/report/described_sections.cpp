#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/models/display_text.h"
#include "app/report/sections.h"
#include "remote/preflight/host_report.h"

namespace trainyard {

namespace {

QString scalarText(const QJsonValue& value)
{
    if (value.isDouble())
        return QString::number(value.toDouble(), 'g', 12);
    if (value.isBool())
        return value.toBool() ? "yes" : "no";
    return oneLine(value.toString());
}

/// "batch.micro" -> "8" for every scalar in the JSON, in its order.
void flatten(const QJsonValue& value, const QString& path, QList<QPair<QString, QString>>& out)
{
    if (value.isObject()) {
        const QJsonObject object = value.toObject();
        for (auto it = object.begin(); it != object.end(); ++it)
            flatten(it.value(), path.isEmpty() ? it.key() : path + "." + it.key(), out);
    } else if (value.isArray()) {
        const QJsonArray array = value.toArray();
        for (qsizetype i = 0; i < array.size(); ++i)
            flatten(array[i], QString("%1[%2]").arg(path).arg(i), out);
    } else {
        out.emplaceBack(path, scalarText(value));
    }
}

QMap<QString, QString> flatSpec(const RecordedRun& run)
{
    QList<QPair<QString, QString>> pairs;
    flatten(QJsonDocument::fromJson(run.facts.specText.toUtf8()).object(), {}, pairs);
    QMap<QString, QString> map;
    for (const auto& [path, value] : pairs)
        map[path] = value;
    return map;
}

QStringList labelsOf(const Runs& runs)
{
    QStringList labels;
    for (const RecordedRun& run : runs)
        labels << labelOf(run, runs);
    return labels;
}

QString count(std::uint64_t value)
{
    return displayCount(static_cast<qint64>(value));
}

void addDatasetRows(const RecordedRun& run, ReportTable& table)
{
    table.rows << QStringList{"folder", QString::fromStdString(run.facts.spec->dataset.path)};
    if (!run.facts.dataSet) {
        table.rows << QStringList{"manifest", "not readable from this machine"};
        return;
    }
    const DataSetManifest& manifest = *run.facts.dataSet;
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
                                                manifest.vocabularySha256.left(16) + "…"};
}

/// What the agent found on a host when the run was launched; dashes for what nobody recorded.
QStringList hostCells(const QJsonObject& entry)
{
    const HostFacts facts = readFacts(entry["host"].toString(), entry["probe"].toObject(), {});
    const auto known = [](const QString& text) { return text.isEmpty() ? QString("–") : oneLine(text); };
    QStringList devices;
    for (const DeviceFacts& device : facts.devices)
        devices << oneLine(device.name);
    return {oneLine(facts.host),
            known(facts.os),
            known(facts.cpu),
            facts.cores ? QString::number(facts.cores) : QString("–"),
            facts.memoryBytes ? displayBytes(static_cast<double>(facts.memoryBytes)) : QString("–"),
            known(devices.join(", ")),
            known(facts.mpi)};
}

} // namespace

ReportSection specificationSection(const Runs& runs)
{
    QMap<QString, QStringList> values; // by path, one per run
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const auto flat = flatSpec(runs[r]);
        for (auto it = flat.begin(); it != flat.end(); ++it) {
            QStringList& cells = values[it.key()];
            cells.resize(static_cast<qsizetype>(runs.size()));
            cells[static_cast<qsizetype>(r)] = it.value();
        }
    }
    if (values.isEmpty())
        return {};
    ReportTable same{runs.size() > 1 ? "The same in all runs" : QString(), {"field", "value"}, {}};
    ReportTable different{"What differs", QStringList{"field"} + labelsOf(runs), {}};
    for (auto it = values.begin(); it != values.end(); ++it) {
        if (it->count(it->front()) == it->size())
            same.rows << QStringList{it.key(), it->front()};
        else
            different.rows << QStringList{it.key()} + it.value();
    }
    ReportSection section{"Specification", {}};
    if (!different.rows.isEmpty())
        section.blocks << different;
    section.blocks << same;
    return section;
}

ReportSection hostsSection(const Runs& runs)
{
    ReportTable table{{}, {"run", "host", "system", "CPU", "cores", "memory", "devices", "MPI"}, {}};
    for (const RecordedRun& run : runs) {
        const QJsonArray inventory = run.facts.inventory["hosts"].toArray();
        for (const QJsonValue& entry : inventory)
            table.rows << QStringList{labelOf(run, runs)} + hostCells(entry.toObject());
        if (inventory.isEmpty()) {
            for (const QString& host : run.facts.hosts)
                table.rows << QStringList{labelOf(run, runs)} + hostCells({{"host", host}});
        }
    }
    return table.rows.isEmpty() ? ReportSection{} : ReportSection{"Hosts", {table}};
}

ReportSection datasetSection(const Runs& runs)
{
    ReportSection section{"Data set", {}};
    QStringList seen;
    for (const RecordedRun& run : runs) {
        if (!run.facts.spec || seen.contains(QString::fromStdString(run.facts.spec->dataset.path)))
            continue;
        seen << QString::fromStdString(run.facts.spec->dataset.path);
        ReportTable table{{}, {"fact", "value"}, {}};
        addDatasetRows(run, table);
        section.blocks << table;
    }
    return section;
}

} // namespace trainyard
