#include <algorithm>
#include <cmath>
#include <optional>

#include "app/base/display_text.h"
#include "app/base/phase_label.h"
#include "app/report/sections.h"
#include "app/runs/run_phase.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

constexpr double kSecondsPerDay = 86'400;

QString lengthText(const RunFacts& facts)
{
    return facts.dataSet ? displayCount(facts.dataSet->sequenceLength) : QStringLiteral("–");
}

/// The highest plan of a rank.
double plannedPeak(const PlanComparison& plan)
{
    Bytes peak = 0;
    for (const DeviceMemory& rank : plan.memory)
        peak = std::max(peak, rank.planned ? totalOf(*rank.planned) : 0);
    return peak > 0 ? static_cast<double>(peak) : RunPace::kUnknown;
}

double seconds(const std::optional<RunPace>& pace)
{
    return pace ? pace->stepSeconds : RunPace::kUnknown;
}

double days(const std::optional<RunPace>& pace)
{
    return pace ? pace->days : RunPace::kUnknown;
}

QString money(double amount, const PlanComparison& plan)
{
    return std::isfinite(amount) ? displayNumber(amount) + " " + plan.currency : QStringLiteral("–");
}

QStringList rowOfPhase(const RunFacts& run, int phase, const PlanComparison& plan)
{
    const RunFacts facts = factsOfPhase(run, phase);
    return {phaseLabel(*run.spec, phase),
            displayCount(facts.spec->launch.steps),
            lengthText(facts),
            displayCount(facts.spec->batch.global),
            displayBytes(plannedPeak(plan)),
            displaySeconds(seconds(plan.planned)),
            displaySeconds(seconds(plan.measured)),
            displaySeconds(days(plan.planned) * kSecondsPerDay),
            money(plan.planned ? plan.planned->cost : RunPace::kUnknown, plan),
            money(plan.measured ? plan.measured->cost : RunPace::kUnknown, plan)};
}

QStringList rowOfAll(const RunSpec& run, const Plans& phases)
{
    double peak = 0;
    double planned = 0;
    for (const PlanComparison& plan : phases) {
        peak = std::max(peak, plannedPeak(plan));
        planned += days(plan.planned);
    }
    return {QStringLiteral("all"),
            displayCount(stepsOfPhases(run)),
            {},
            {},
            displayBytes(peak > 0 ? peak : RunPace::kUnknown),
            {},
            {},
            displaySeconds(planned * kSecondsPerDay),
            money(plannedCost(phases), phases.front()),
            money(measuredCost(phases), phases.front())};
}

ReportTable tableOf(const RecordedRun& run, const QString& caption, const Plans& phases)
{
    ReportTable table{caption,
                      {"phase", "steps", "length", "global batch", "memory per rank, plan",
                       "step, plan", "step, actual", "time, plan", "cost, plan",
                       "cost, actual"},
                      {}};
    for (int phase = 0; phase < phaseCount(*run.facts.spec); ++phase)
        table.rows << rowOfPhase(run.facts, phase, phases[static_cast<std::size_t>(phase)]);
    table.rows << rowOfAll(*run.facts.spec, phases);
    return table;
}

} // namespace

ReportSection phasesSection(const Runs& runs, const PhasePlans& phases)
{
    ReportSection section{"Phases", {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].facts.spec && !runs[i].facts.spec->phases.empty())
            section.blocks << tableOf(runs[i], labelOf(runs[i], runs), phases[i]);
    }
    return section;
}

} // namespace trainyard
