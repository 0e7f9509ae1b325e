#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/report/sections.h"

namespace trainyard {

namespace {

constexpr qsizetype kRunsInTable = 5; ///< side by side on a page

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

/// By path, one value per run; empty where a run's specification does not have it.
QMap<QString, QStringList> valuesByPath(const Runs& runs)
{
    QMap<QString, QStringList> values;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        QList<QPair<QString, QString>> pairs;
        flatten(QJsonDocument::fromJson(runs[r].facts.specText.toUtf8()).object(), {}, pairs);
        for (const auto& [path, value] : pairs) {
            QStringList& cells = values[path];
            cells.resize(static_cast<qsizetype>(runs.size()));
            cells[static_cast<qsizetype>(r)] = value;
        }
    }
    return values;
}

/// As many tables as it takes to have every run on the page.
QList<ReportBlock> differenceTables(const QList<QStringList>& rows, const QStringList& labels)
{
    QList<ReportBlock> tables;
    for (qsizetype from = 0; from < labels.size(); from += kRunsInTable) {
        ReportTable table{"Differences", QStringList{"field"} + labels.mid(from, kRunsInTable), {}};
        for (const QStringList& row : rows)
            table.rows << QStringList{row.front()} + row.mid(1 + from, kRunsInTable);
        tables << table;
    }
    return tables;
}

} // namespace

ReportSection specificationSection(const Runs& runs)
{
    const QMap<QString, QStringList> values = valuesByPath(runs);
    ReportTable same{runs.size() > 1 ? "Common to all runs" : QString(), {"field", "value"}, {}};
    QList<QStringList> different;
    for (auto it = values.begin(); it != values.end(); ++it) {
        if (it->count(it->front()) == static_cast<qsizetype>(runs.size()))
            same.rows << QStringList{it.key(), it->front()};
        else
            different << QStringList{it.key()} + it.value();
    }
    ReportSection section{"Specification", {}};
    if (!different.isEmpty())
        section.blocks << differenceTables(different, labelsOf(runs));
    if (!same.rows.isEmpty())
        section.blocks << same;
    return section;
}

} // namespace trainyard
