#include "app/designer/memory_plan.h"

namespace trainyard {

namespace {

std::optional<Bytes> mainMemoryOf(const NodeSpec& node, const HostListModel& hosts)
{
    const int row = hosts.rowOf(QString::fromStdString(node.host));
    if (row < 0 || !hosts.at(row).report || hosts.at(row).report->facts.memoryBytes <= 0)
        return std::nullopt;
    return static_cast<Bytes>(hosts.at(row).report->facts.memoryBytes);
}

} // namespace

MemoryPlan planMemory(const RunSpec& spec, const SequenceShape& shape, const HostListModel& hosts)
{
    const MemoryEstimate estimate = estimateMemory(spec, shape);
    MemoryPlan plan;
    plan.bytes = estimate.bytes;
    plan.total = estimate.total();
    for (const std::string& assumption : estimate.assumptions)
        plan.assumptions << QString::fromStdString(assumption);
    plan.hosts =
        memoryOfHosts(spec, [&](std::size_t node) { return mainMemoryOf(spec.cluster.nodes[node], hosts); });
    return plan;
}

} // namespace trainyard
