#include "app/models/design_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QCoreApplication>

#include "app/models/display_text.h"
#include "app/models/plan_figures.h"
#include "app/models/step_words.h"
#include "engine/spec/field_changes.h"

namespace trainyard {

namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("DesignComparison", text);
}

PlanFigure memoryOf(MemoryCategory category, const PlannedDesign& design)
{
    const auto bytes = static_cast<double>(design.plan.memory.bytes[static_cast<std::size_t>(category)]);
    const auto name = nameOf(category);
    return {words("Memory: %1").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))),
            displayBytes(bytes),
            {},
            bytes};
}

PlanFigure timeOf(CommonCause cause, const PlannedDesign& design)
{
    PlanFigure figure{words("Time: %1").arg(causeName(cause)), displaySeconds(qQNaN()), {}};
    if (design.hasTime()) {
        figure.amount = byCommonCause(design.time().step.byCause)[static_cast<std::size_t>(cause)];
        figure.value = displaySeconds(figure.amount);
    }
    return figure;
}

/// By name: a design whose time is not known has fewer figures.
std::vector<PlanFigure> figuresOf(const PlannedDesign& design)
{
    std::vector<PlanFigure> figures = planFigures(design);
    for (std::size_t i = 0; i < kMemoryCategories; ++i)
        figures.push_back(memoryOf(static_cast<MemoryCategory>(i), design));
    for (std::size_t i = 0; i < kCommonCauses; ++i)
        figures.push_back(timeOf(static_cast<CommonCause>(i), design));
    return figures;
}

const PlanFigure* find(const std::vector<PlanFigure>& figures, const QString& name)
{
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const PlanFigure& figure) { return figure.name == name; });
    return found == figures.end() ? nullptr : &*found;
}

bool isNothing(const PlanFigure& figure)
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
    TextTable table{{words("Figure"), words("Kept"), words("Present"), words("Change")}, {}};
    const std::vector<PlanFigure> before = figuresOf(kept);
    const PlanFigure none{{}, QStringLiteral("–"), {}};
    for (const PlanFigure& now : figuresOf(present)) {
        const PlanFigure* found = find(before, now.name);
        const PlanFigure& old = found ? *found : none;
        if (!isNothing(now) || !isNothing(old))
            table.rows << QStringList{now.name, old.value, now.value, changeText(now, old)};
    }
    return table;
}

TextTable comparedFields(const RunSpec& kept, const RunSpec& present)
{
    TextTable table{{words("Field"), words("Kept"), words("Present")}, {}};
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
