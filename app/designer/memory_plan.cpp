#include "app/designer/memory_plan.h"

#include <algorithm>

namespace trainyard {

namespace {

std::optional<Bytes> capacityOf(const NodeSpec& node, const HostListModel& hosts)
{
    if (node.memory > 0)
        return node.memory;
    const int row = hosts.rowOf(QString::fromStdString(node.host));
    if (row < 0 || !hosts.at(row).report)
        return std::nullopt;
    const HostFacts& facts = hosts.at(row).report->facts;
    const bool hasDevice = !facts.devices.isEmpty() && facts.devices.front().memoryBytes > 0;
    const qint64 bytes =
        hasDevice ? facts.devices.front().memoryBytes : facts.memoryBytes / std::max(1, node.slotCount);
    return bytes > 0 ? std::optional<Bytes>(static_cast<Bytes>(bytes)) : std::nullopt;
}

} // namespace

std::optional<HostMemory> MemoryPlan::tooSmall() const
{
    std::optional<HostMemory> tightest;
    for (const HostMemory& host : hosts) {
        if (host.perRank && *host.perRank < total && (!tightest || *host.perRank < *tightest->perRank))
            tightest = host;
    }
    return tightest;
}

MemoryPlan planMemory(const RunSpec& spec, const SequenceShape& shape, const HostListModel& hosts)
{
    const MemoryEstimate estimate = estimateMemory(spec, shape);
    MemoryPlan plan;
    plan.bytes = estimate.bytes;
    plan.total = estimate.total();
    for (const std::string& assumption : estimate.assumptions)
        plan.assumptions << QString::fromStdString(assumption);
    int left = spec.layout.worldSize();
    for (const NodeSpec& node : spec.cluster.nodes) {
        const int ranks = std::clamp(left, 0, std::max(0, node.slotCount));
        left -= ranks;
        if (ranks > 0)
            plan.hosts.push_back({QString::fromStdString(node.host), ranks, capacityOf(node, hosts)});
    }
    return plan;
}

} // namespace trainyard
