#include "engine/planner/explain/plan_problems.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/planner/explain/precision_remarks.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

/// With the device that its ranks get on those hosts.
RunSpec resolved(RunSpec spec, const std::vector<HostMemory>& hosts)
{
    spec.launch.device = resolvedDevice(spec.launch.device, hosts);
    return spec;
}

RankNeed needOn(const std::vector<HostMemory>& hosts, const RunSpec& spec, const SequenceShape& shape)
{
    return estimateMemory(resolved(spec, hosts), shape, productsOn(spec, hosts)).need();
}

/// Whether that category is among what is too small.
bool counts(MemoryCategory category, const MemoryShortage& shortage)
{
    if (!shortage.host.onDevices)
        return true;
    return (category == MemoryCategory::Host) == shortage.ofMainMemory;
}

/// "weights 1.00 GiB + gradients 1.00 GiB = 2.00 GiB > 1.50 GiB".
std::string equationOf(const MemoryShortage& shortage)
{
    std::string sum;
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const auto category = static_cast<MemoryCategory>(i);
        if (shortage.bytes[i] > 0 && counts(category, shortage))
            sum += fmt::format("{}{} {}", sum.empty() ? "" : " + ", nameOf(category),
                               formatBytes(shortage.bytes[i]));
    }
    return fmt::format("{} = {} > {}", sum, formatBytes(shortage.needed), formatBytes(shortage.room));
}

} // namespace

Diagnostic memoryProblem(const MemoryShortage& shortage)
{
    const Error error = shortage.error();
    return {kMemoryPath, error.message, error.hint, error.kind, equationOf(shortage)};
}

Diagnostics planProblems(const RunSpec& spec, const PlanFacts& facts)
{
    Diagnostics problems = validate(spec);
    if (problems.empty() && facts.rows)
        problems = dataSetProblems(spec, *facts.rows);
    if (problems.empty() && facts.evaluatedRows)
        problems = evaluationDataProblems(spec, *facts.evaluatedRows, facts.shape.length);
    if (problems.empty())
        problems = sharingProblems(spec, facts.shape.length);
    if (!problems.empty())
        return problems;
    const std::vector<HostMemory> hosts = facts.hosts(spec);
    const auto shortage =
        memoryShortage(spec.layout, hosts,
                       memoryOfPipelineRanks(resolved(spec, hosts), facts.shape, productsOn(spec, hosts)));
    if (shortage)
        problems.push_back(memoryProblem(*shortage));
    return problems;
}

std::vector<ExplainedProblem> explainPlan(const RunSpec& spec, const PlanFacts& facts)
{
    const auto find = [&](const RunSpec& changed) { return planProblems(changed, facts); };
    auto explanations = explain(spec, find(spec), find);
    for (ExplainedProblem& explained : explanations) {
        for (Remedy& remedy : explained.remedies) {
            if (explained.problem.path == kMemoryPath)
                remedy.need = needOn(facts.hosts(remedy.spec), remedy.spec, facts.shape);
        }
    }
    return explanations;
}

std::vector<ExplainedProblem> explainPrecision(const RunSpec& spec, const PlanFacts& facts)
{
    const auto remarksOn = [&](const RunSpec& changed) {
        return precisionRemarks(changed, facts.hosts(changed));
    };
    const auto find = [&](const RunSpec& changed) {
        Diagnostics found = planProblems(changed, facts);
        std::ranges::move(remarksOn(changed), std::back_inserter(found));
        return found;
    };
    return explain(spec, remarksOn(spec), find);
}

} // namespace trainyard
