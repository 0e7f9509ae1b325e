#include "app/models/device_memory.h"

#include <algorithm>

#include "app/models/open_run.h"

namespace trainyard {

namespace {

/// The node that `rank` runs on, or null when the specification does not say.
const NodeSpec* nodeOf(const RunFacts& facts, std::size_t rank)
{
    if (!facts.spec)
        return nullptr;
    for (const NodeSpec& node : facts.spec->cluster.nodes) {
        if (rank < std::size_t(node.slotCount))
            return &node;
        rank -= std::size_t(node.slotCount);
    }
    return nullptr;
}

QList<DeviceMemory> devicesOf(const RunFacts& facts, const RunSeries& series)
{
    QList<DeviceMemory> devices;
    for (std::size_t rank = 0; rank < series.ranks().size(); ++rank) {
        const NodeSpec* node = nodeOf(facts, rank);
        const RankFigures& peak = series.ranks()[rank].peak;
        devices.append({QStringLiteral("rank %1").arg(rank),
                        node ? QString::fromStdString(node->host) : QString(), peak.peakMemory,
                        peak.peakTotal, node ? node->memory : 0});
    }
    return devices;
}

} // namespace

Bytes memoryScale(const QList<DeviceMemory>& devices)
{
    constexpr Bytes kLeastUse = 4; // less than a quarter in use is a sliver
    Bytes peak = 1;
    Bytes capacity = 0;
    for (const DeviceMemory& device : devices) {
        peak = std::max(peak, device.peak);
        capacity = std::max(capacity, device.capacity);
    }
    return peak >= capacity / kLeastUse ? std::max(peak, capacity) : peak;
}

QList<DeviceMemory> deviceMemory(const RecordedRun& run)
{
    return devicesOf(run.facts, run.series);
}

QList<DeviceMemory> deviceMemory(const OpenRun& run)
{
    return devicesOf(run.facts(), run.series());
}

} // namespace trainyard
