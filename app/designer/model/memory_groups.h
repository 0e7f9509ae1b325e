#pragma once

#include <optional>
#include <vector>

#include <QStringList>

#include "app/plan/device_map.h"
#include "engine/planner/memory/memory_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/records/record.h"

namespace trainyard {

/// Devices that hold the same and have the same room: one bar says it for all of them.
struct MemoryGroup {
    std::vector<int> stages{}; ///< pipeline ranks, ascending
    QStringList hosts{};       ///< in the order of the cluster
    int devices = 0;
    MemoryByCategory bytes{};        ///< of each, at the peak of a step
    MemoryByCategory resident{};     ///< what of it is there from step to step
    Bytes needed = 0;                ///< of them what has to fit into `capacity`
    std::optional<Bytes> capacity{}; ///< nothing = unknown
    bool onDevices = false;          ///< `capacity` is theirs: what is offloaded is not in `needed`
    bool offloadedFits = true;       ///< the rest has room in the host's memory, or that is unknown

    bool fits() const { return offloadedFits && (!capacity || needed <= *capacity); }
    bool operator==(const MemoryGroup&) const = default;
};

struct GroupedMemory {
    std::vector<MemoryGroup> groups; ///< in the order of their first devices
    std::vector<int> ofDevice;       ///< by index in DeviceMap::devices(); -1 = free
};

/// The one that fills most of its room; of those with no known size the largest, after the others. Nothing
/// where no device gets a rank.
std::optional<MemoryGroup> fullestGroup(const GroupedMemory& memory);
/// By that order.
std::vector<MemoryGroup> fullestFirst(std::vector<MemoryGroup> groups);

/// `pipelineRanks`: memoryOfRanks(), which of an impossible layout may know fewer than there are;
/// `hosts`: those that get a rank (memory_fit.h); both of the map's specification.
GroupedMemory groupMemory(const DeviceMap& map, const std::vector<RankMemory>& pipelineRanks,
                          const std::vector<HostMemory>& hosts);

} // namespace trainyard
