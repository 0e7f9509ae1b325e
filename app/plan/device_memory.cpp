#include "app/plan/device_memory.h"

#include <algorithm>
#include <numeric>

#include "app/plan/plan_comparison.h"
#include "app/runs/recorded_run.h"
#include "app/runs/run_phase.h"

namespace trainyard {

namespace {

/// What the rank may use; 0 = unknown.
Bytes capacityOf(const NodeSpec* node, const RunSeries& series, std::size_t rank)
{
    const auto& devices = series.rankDevices().ranks;
    const Bytes promised = node ? node->memory : 0;
    const Bytes device = rank < devices.size() ? devices[rank].memory : 0;
    return promised > 0 && device > 0 ? std::min(promised, device) : std::max(promised, device);
}

/// The node that `rank` runs on, or null when the specification does not say.
const NodeSpec* nodeOf(const RunFacts& facts, std::size_t rank)
{
    const RunSpec* spec = facts.specNow();
    if (!spec)
        return nullptr;
    for (const NodeSpec& node : spec->cluster.nodes) {
        if (rank < std::size_t(node.slotCount))
            return &node;
        rank -= std::size_t(node.slotCount);
    }
    return nullptr;
}

} // namespace

Bytes totalOf(const MemoryByCategory& categories)
{
    return std::accumulate(categories.begin(), categories.end(), Bytes{0});
}

QList<DeviceMemory> deviceMemory(const RunFacts& facts, const RunSeries& series)
{
    return deviceMemory(facts, series, plannedMemory(factsNow(facts, series)));
}

QList<DeviceMemory> deviceMemory(const RunFacts& facts, const RunSeries& series,
                                 const std::vector<MemoryByCategory>& planned)
{
    QList<DeviceMemory> devices;
    for (std::size_t rank = 0; rank < series.ranks().size(); ++rank) {
        const NodeSpec* node = nodeOf(facts, rank);
        const RankStats& peak = series.ranks()[rank].peak;
        devices.append({QStringLiteral("rank %1").arg(rank),
                        node ? QString::fromStdString(node->host) : QString(), peak.peakMemory,
                        peak.peakTotal, capacityOf(node, series, rank),
                        rank < planned.size() ? std::optional(planned[rank]) : std::nullopt});
    }
    return devices;
}

Bytes memoryScale(const QList<DeviceMemory>& devices)
{
    constexpr Bytes kMinUse = 4; // less than a quarter in use is a sliver
    Bytes peak = 1;
    Bytes capacity = 0;
    for (const DeviceMemory& device : devices) {
        peak = std::max({peak, device.peak, device.planned ? totalOf(*device.planned) : 0});
        capacity = std::max(capacity, device.capacity);
    }
    return peak >= capacity / kMinUse ? std::max(peak, capacity) : peak;
}

} // namespace trainyard
