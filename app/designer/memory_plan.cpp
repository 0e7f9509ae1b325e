#include "app/designer/memory_plan.h"

#include "remote/launch/inventory.h"

namespace trainyard {

namespace {

NodeMemory memoryOfNode(const NodeSpec& node, const HostListModel& hosts)
{
    const int row = hosts.rowOf(QString::fromStdString(node.host));
    return row >= 0 && hosts.at(row).report ? memoryOf(hosts.at(row).report->facts) : NodeMemory();
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
        memoryOfHosts(spec, [&](std::size_t node) { return memoryOfNode(spec.cluster.nodes[node], hosts); });
    return plan;
}

} // namespace trainyard
