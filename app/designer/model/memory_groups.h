#pragma once

#include <optional>
#include <vector>

#include <QStringList>

#include "app/plan/device_map.h"
#include "engine/planner/memory/memory_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/records/record.h"

namespace trainyard {

/// Devices with the same memory use and capacity, shown as one bar.
struct MemoryGroup {
    std::vector<int> stages{}; ///< pipeline ranks, ascending
    QStringList hosts{};       ///< in the order of the cluster
    int devices = 0;
    MemoryByCategory bytes{};        ///< per device, at the peak of a step
    MemoryByCategory resident{};     ///< the part that persists between steps
    Bytes needed = 0;                ///< the part that has to fit into `capacity`
    std::optional<Bytes> capacity{}; ///< nullopt = unknown
    bool onDevices = false;          ///< `capacity` is device memory, and `needed` excludes offloaded bytes
    bool offloadedFits = true;       ///< the offloaded part fits into host memory, or that is unknown

    bool fits() const { return offloadedFits && (!capacity || needed <= *capacity); }
    bool operator==(const MemoryGroup&) const = default;
};

struct GroupedMemory {
    std::vector<MemoryGroup> groups; ///< in the order of their first devices
    std::vector<int> ofDevice;       ///< by index in DeviceMap::devices(); -1 = free
};

/// Returns the group with the highest share of its capacity in use; groups of unknown capacity come last, by
/// size. nullopt if no device has a rank.
std::optional<MemoryGroup> fullestGroup(const GroupedMemory& memory);
/// Sorts by the same order.
std::vector<MemoryGroup> fullestFirst(std::vector<MemoryGroup> groups);

/// `pipelineRanks`: memoryOfRanks(), which may cover fewer ranks for an impossible layout; `hosts`: those
/// with ranks (memory_fit.h). Both are of the map's specification.
GroupedMemory groupMemory(const DeviceMap& map, const std::vector<RankMemory>& pipelineRanks,
                          const std::vector<HostMemory>& hosts);

} // namespace trainyard
