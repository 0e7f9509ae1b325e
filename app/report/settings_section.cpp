#include "app/base/display_text.h"
#include "app/base/field_label.h"
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

QMap<QString, QString> defaults()
{
    QMap<QString, QString> values;
    for (const auto& [path, value] : fieldTexts(RunSpec()))
        values[QString::fromStdString(path)] = oneLine(QString::fromStdString(value));
    return values;
}

/// As many tables as it takes to have every run on the page.
QList<ReportBlock> differenceTables(const QList<QStringList>& rows, const QStringList& labels)
{
    QList<ReportBlock> tables;
    for (qsizetype from = 0; from < labels.size(); from += kRunsInTable) {
        ReportTable table{"Differences",
                          QStringList{"setting"} + labels.mid(from, kRunsInTable) + QStringList{"field"},
                          {}};
        for (const QStringList& row : rows)
            table.rows << QStringList{fieldLabel(row.front())} + row.mid(1 + from, kRunsInTable) +
                              QStringList{row.front()};
        tables << table;
    }
    return tables;
}

/// The settings that all runs have in common.
struct CommonSettings {
    ReportTable chosen{{}, {"setting", "value", "field"}, {}};
    ReportTable defaults{{}, {"setting", "value", "field"}, {}};
};

bool isCommon(const QStringList& values, const Runs& runs)
{
    return values.count(values.front()) == static_cast<qsizetype>(runs.size());
}

CommonSettings commonSettings(const QMap<QString, QStringList>& values, const Runs& runs)
{
    const QMap<QString, QString> unset = defaults();
    CommonSettings common;
    for (auto it = values.begin(); it != values.end(); ++it) {
        if (!isCommon(*it, runs))
            continue;
        ReportTable& table =
            unset.contains(it.key()) && unset[it.key()] == it->front() ? common.defaults : common.chosen;
        table.rows << QStringList{fieldLabel(it.key()), it->front(), it.key()};
    }
    return common;
}

} // namespace

ReportSection settingsSection(const Runs& runs)
{
    const QMap<QString, QStringList> values = valuesByPath(runs);
    QList<QStringList> different;
    for (auto it = values.begin(); it != values.end(); ++it) {
        if (!isCommon(*it, runs))
            different << QStringList{it.key()} + it.value();
    }
    ReportSection section{"Settings", {}};
    if (!different.isEmpty())
        section.blocks << differenceTables(different, labelsOf(runs));
    ReportTable chosen = commonSettings(values, runs).chosen;
    chosen.caption =
        runs.size() > 1 ? "Common to all runs, other than the defaults" : "Other than the defaults";
    if (!chosen.rows.isEmpty())
        section.blocks << chosen;
    return section;
}

ReportSection defaultsSection(const Runs& runs)
{
    ReportSection section{"Settings at their defaults", {}, true};
    const ReportTable table = commonSettings(valuesByPath(runs), runs).defaults;
    if (!table.rows.isEmpty())
        section.blocks << table;
    return section;
}

} // namespace trainyard
