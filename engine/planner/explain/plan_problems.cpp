#include "engine/planner/explain/plan_problems.h"

#include <fmt/format.h>

#include "engine/spec/data_set_rules.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

/// "weights 1.00 GiB + gradients 1.00 GiB = 2.00 GiB > 1.50 GiB".
std::string equationOf(const MemoryEstimate& estimate, bool onDevices, Bytes available)
{
    std::string sum;
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const auto category = static_cast<MemoryCategory>(i);
        if (estimate.bytes[i] == 0 || (onDevices && category == MemoryCategory::Host))
            continue;
        sum += fmt::format("{}{} {}", sum.empty() ? "" : " + ", nameOf(category),
                           formatBytes(estimate.bytes[i]));
    }
    return fmt::format("{} = {} > {}", sum, formatBytes(onDevices ? estimate.onDevice() : estimate.total()),
                       formatBytes(available));
}

} // namespace

std::optional<Diagnostic> memoryProblem(const MemoryEstimate& estimate, const std::vector<HostMemory>& hosts,
                                        bool onDevices)
{
    const Bytes needed = onDevices ? estimate.onDevice() : estimate.total();
    const Status fits = fitsMemory(hosts, needed);
    if (fits.ok())
        return std::nullopt;
    const Error& error = fits.error();
    return Diagnostic{kMemoryPath, error.message, error.hint, error.kind,
                      equationOf(estimate, onDevices, *tooSmall(hosts, needed)->perRank)};
}

Diagnostics planProblems(const RunSpec& spec, const PlanFacts& facts)
{
    Diagnostics problems = validate(spec);
    if (problems.empty() && facts.rows)
        problems = dataSetProblems(spec, *facts.rows);
    if (problems.empty())
        problems = sharingProblems(spec, facts.shape.length);
    if (!problems.empty())
        return problems;
    const MemoryEstimate estimate = estimateMemory(spec, facts.shape);
    if (const auto problem = memoryProblem(estimate, facts.hosts(spec), facts.onDevices))
        problems.push_back(*problem);
    return problems;
}

} // namespace trainyard
