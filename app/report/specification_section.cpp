#include "app/base/display_text.h"
#include "app/report/sections.h"
#include "engine/spec/field_changes.h"

namespace trainyard {

namespace {

constexpr qsizetype kRunsInTable = 5; ///< side by side on a page

/// By path, one value per run; empty where a run's specification does not have it.
QMap<QString, QStringList> valuesByPath(const Runs& runs)
{
    QMap<QString, QStringList> values;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        if (!runs[r].facts.spec)
            continue;
        for (const auto& [path, value] : fieldTexts(*runs[r].facts.spec)) {
            QStringList& cells = values[QString::fromStdString(path)];
            cells.resize(static_cast<qsizetype>(runs.size()));
            cells[static_cast<qsizetype>(r)] = oneLine(QString::fromStdString(value));
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
