#include <algorithm>
#include <cmath>

#include "app/base/display_text.h"
#include "app/report/sections.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

struct PhaseSteps {
    double steps = 0;
    double done = 0;
};

PhaseSteps stepsOf(const RecordedRun& run, int phase)
{
    const RunSpec spec = specOfPhase(*run.facts.spec, phase);
    const double newest = run.series.steps().isEmpty() ? 0 : run.series.steps().last(StepColumn::Step);
    const double before = static_cast<double>(stepsBefore(*run.facts.spec, phase));
    const double steps = spec.launch.steps;
    return {steps, std::clamp(newest - before, 0.0, steps)};
}

double costSoFar(const RecordedRun& run, const Plans& phases)
{
    double cost = 0;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const PhaseSteps steps = stepsOf(run, static_cast<int>(i));
        if (steps.done > 0)
            cost += measuredCost({phases[i]}) * steps.done / steps.steps;
    }
    return cost;
}

double costOfMillionSequences(const RecordedRun& run, const Plans& phases)
{
    return measuredCost(phases) / static_cast<double>(samplesOfPhases(*run.facts.spec)) * 1e6;
}

} // namespace

double plannedCost(const Plans& phases)
{
    double cost = 0;
    for (const PlanComparison& phase : phases)
        cost += phase.planned ? phase.planned->cost : RunPace::kUnknown;
    return cost;
}

double measuredCost(const Plans& phases)
{
    double cost = 0;
    bool isMeasured = false;
    for (const PlanComparison& phase : phases) {
        isMeasured = isMeasured || phase.measured;
        if (phase.measured)
            cost += phase.measured->cost;
        else
            cost += phase.planned ? phase.planned->cost : RunPace::kUnknown;
    }
    return isMeasured ? cost : RunPace::kUnknown;
}

ReportSection costSection(const Runs& runs, const PhasePlans& phases)
{
    ReportTable table{"From the price of the nodes during training",
                      {"run", "nodes", "price of", "all steps, planned", "all steps, as measured", "so far",
                       "10^6 sequences"},
                      {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!std::isfinite(measuredCost(phases[i])))
            continue;
        const PlanComparison& first = phases[i].front();
        const auto money = [&](double amount) { return displayNumber(amount) + " " + first.currency; };
        table.rows << QStringList{labelOf(runs[i], runs),
                                  first.hardware,
                                  first.priceDate,
                                  money(plannedCost(phases[i])),
                                  money(measuredCost(phases[i])),
                                  money(costSoFar(runs[i], phases[i])),
                                  money(costOfMillionSequences(runs[i], phases[i]))};
    }
    if (!table.rows.isEmpty())
        return {"Cost", {table}};
    return {"Cost",
            {QStringLiteral("Unknown: the nodes have no price. Name hardware that has one in "
                            "cluster.nodes[].hardware, or for this report with --hardware.")}};
}

} // namespace trainyard
