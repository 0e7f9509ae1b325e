#include "app/plan/planned_phases.h"

#include <algorithm>

#include <QObject>

#include "app/base/display_text.h"
#include "app/base/phase_label.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

constexpr double kSecondsPerDay = 86'400;

QString moneyText(const PlannedPhases& phases, double amount)
{
    return displayNumber(amount) + QLatin1Char(' ') + toQString(phases.front().time().node.price.currency);
}

QString memoryText(const PlannedDesign& design)
{
    const QString memory = displayBytes(static_cast<double>(design.plan.memory.total()));
    return design.plan.fits() ? memory : QObject::tr("✕ %1").arg(memory);
}

} // namespace

TrainingEffort effortTogether(const std::vector<TrainingEffort>& phases)
{
    TrainingEffort all;
    for (const TrainingEffort& phase : phases) {
        all.days += phase.days;
        all.cost += phase.cost;
    }
    if (std::ranges::any_of(phases, [](const TrainingEffort& phase) { return phase.cost <= 0; }))
        all.cost = 0;
    return all;
}

std::optional<TrainingEffort> effortOf(const PlannedPhases& phases)
{
    std::vector<TrainingEffort> efforts;
    for (const PlannedDesign& phase : phases) {
        if (!phase.hasTime())
            return std::nullopt;
        efforts.push_back(phase.time().training);
    }
    return effortTogether(efforts);
}

std::size_t phaseOfMostMemory(const PlannedPhases& phases)
{
    const auto most = std::ranges::max_element(
        phases, {}, [](const PlannedDesign& phase) { return phase.plan.memory.total(); });
    return static_cast<std::size_t>(most - phases.begin());
}

TextTable phaseTable(const PlannedPhases& phases)
{
    const auto effort = effortOf(phases);
    TextTable table{{QObject::tr("Phase"), QObject::tr("Steps"), QObject::tr("Memory")}, {}};
    if (effort)
        table.columns << QObject::tr("Time");
    if (effort && effort->cost > 0)
        table.columns << QObject::tr("Cost, %1").arg(toQString(phases.front().time().node.price.currency));
    for (const PlannedDesign& design : phases) {
        QStringList row{phaseLabel(design.run(), design.phase), displayCount(design.spec.launch.steps),
                        memoryText(design)};
        if (effort)
            row << displaySeconds(design.time().training.days * kSecondsPerDay);
        if (effort && effort->cost > 0)
            row << displayNumber(design.time().training.cost);
        table.rows << row;
        table.tips << phaseTitle(design.run(), design.phase);
    }
    return table;
}

QString phaseTotals(const PlannedPhases& phases)
{
    if (phases.size() < 2)
        return {};
    QString text = QObject::tr("%1 in all").arg(displayCounted(stepsOfPhases(phases.front().run()), "step"));
    if (const auto effort = effortOf(phases)) {
        text += QStringLiteral(", ") + displaySeconds(effort->days * kSecondsPerDay);
        if (effort->cost > 0)
            text += QStringLiteral(", ") + moneyText(phases, effort->cost);
    }
    return QObject::tr("%1; phase %2 needs most memory").arg(text).arg(phaseOfMostMemory(phases) + 1);
}

} // namespace trainyard
