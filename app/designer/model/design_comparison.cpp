#include "app/designer/model/design_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QCoreApplication>

#include "app/base/display_text.h"
#include "app/designer/model/plan_metrics.h"
#include "app/plan/step_labels.h"
#include "engine/spec/field_changes.h"

namespace trainyard {

namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("DesignComparison", text);
}

/// A figure and the one that it is a part of.
struct ComparedFigure {
    PlanMetric figure;
    QString whole{};

    bool isSame(const ComparedFigure& other) const
    {
        return whole == other.whole && figure.isSame(other.figure);
    }
};

PlanMetric partFigure(const QString& name, double amount, QString (*display)(double))
{
    return {words("· %1").arg(name), display(amount), {}, amount};
}

void addMemory(std::vector<ComparedFigure>& figures, const PlannedDesign& design)
{
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const auto name = nameOf(static_cast<MemoryCategory>(i));
        figures.push_back({partFigure(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
                                      static_cast<double>(design.plan.memory.bytes[i]), displayBytes),
                           words("Memory")});
    }
}

void addTime(std::vector<ComparedFigure>& figures, const PlannedDesign& design)
{
    const auto seconds = byCommonCause(design.time().step.byCause);
    for (std::size_t i = 0; i < kCommonCauses; ++i)
        figures.push_back({partFigure(causeName(static_cast<CommonCause>(i)), seconds[i], displaySeconds),
                           words("Step time")});
}

/// Each whole is followed by its parts.
std::vector<ComparedFigure> figuresOf(const PlannedDesign& design)
{
    std::vector<ComparedFigure> figures;
    for (const PlanMetric& figure : planMetrics(design)) {
        figures.push_back({figure});
        if (figure.name == words("Memory")) {
            figures.back().figure.value = displayBytes(figure.amount); // what there is of it differs too
            addMemory(figures, design);
        } else if (figure.name == words("Step time")) {
            addTime(figures, design);
        }
    }
    return figures;
}

const PlanMetric* find(const std::vector<ComparedFigure>& figures, const ComparedFigure& wanted)
{
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const ComparedFigure& figure) { return figure.isSame(wanted); });
    return found == figures.end() ? nullptr : &found->figure;
}

bool isNothing(const PlanMetric& figure)
{
    return figure.amount == 0 || std::isnan(figure.amount);
}

std::map<QString, QString> valuesOf(const std::vector<FieldChange>& changes)
{
    std::map<QString, QString> values;
    for (const FieldChange& change : changes)
        values[QString::fromStdString(change.path)] = QString::fromStdString(change.value);
    return values;
}

} // namespace

TextTable comparedFigures(const PlannedDesign& kept, const PlannedDesign& present)
{
    TextTable table{{words("Metric"), words("Kept"), words("Current"), words("Change")}, {}};
    const std::vector<ComparedFigure> before = figuresOf(kept);
    const PlanMetric none{{}, QStringLiteral("–"), {}};
    for (const ComparedFigure& compared : figuresOf(present)) {
        const PlanMetric& now = compared.figure;
        const PlanMetric* found = find(before, compared);
        const PlanMetric& old = found ? *found : none;
        if (!isNothing(now) || !isNothing(old))
            table.rows << QStringList{now.name, old.value, now.value, changeText(now, old)};
    }
    return table;
}

TextTable comparedFields(const RunSpec& kept, const RunSpec& present)
{
    TextTable table{{words("Field"), words("Kept"), words("Current")}, {}};
    const auto before = valuesOf(changesBetween(present, kept));
    const auto now = valuesOf(changesBetween(kept, present));
    std::map<QString, QStringList> rows;
    for (const auto& [path, value] : before)
        rows[path] = {path, value, QStringLiteral("–")};
    for (const auto& [path, value] : now)
        rows[path] = {path, before.contains(path) ? before.at(path) : QStringLiteral("–"), value};
    for (const auto& [path, row] : rows)
        table.rows << row;
    return table;
}

} // namespace trainyard
