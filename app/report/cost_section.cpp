#include <algorithm>
#include <cmath>

#include "app/base/display_text.h"
#include "app/report/sections.h"

namespace trainyard {

namespace {

/// Of the whole run at the pace that was measured, in the currency of its plan; NaN where no price is known.
double wholeCost(const PlanComparison& plan)
{
    return plan.measured ? plan.measured->cost : RunPace::kUnknown;
}

double costSoFar(const RecordedRun& run, const PlanComparison& plan)
{
    const double done = run.series.steps().last(StepColumn::Step);
    return wholeCost(plan) * done / run.facts.spec->launch.steps;
}

double costOfMillionSequences(const RecordedRun& run, const PlanComparison& plan)
{
    const RunSpec& spec = *run.facts.spec;
    return wholeCost(plan) / (static_cast<double>(spec.launch.steps) * spec.batch.global) * 1e6;
}

} // namespace

ReportSection costSection(const Runs& runs, const Plans& plans)
{
    ReportTable table{"From the price of the nodes during training",
                      {"run", "nodes", "price of", "all steps, planned", "all steps, as measured", "so far",
                       "10^6 sequences"},
                      {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!std::isfinite(wholeCost(plans[i])))
            continue;
        const auto money = [&](double amount) { return displayNumber(amount) + " " + plans[i].currency; };
        table.rows << QStringList{labelOf(runs[i], runs),
                                  plans[i].hardware,
                                  plans[i].priceDate,
                                  money(plans[i].planned->cost),
                                  money(wholeCost(plans[i])),
                                  money(costSoFar(runs[i], plans[i])),
                                  money(costOfMillionSequences(runs[i], plans[i]))};
    }
    if (!table.rows.isEmpty())
        return {"Cost", {table}};
    return {"Cost",
            {QStringLiteral("Unknown: the nodes have no price. Name hardware that has one in "
                            "cluster.nodes[].hardware, or for this report with --hardware.")}};
}

} // namespace trainyard
