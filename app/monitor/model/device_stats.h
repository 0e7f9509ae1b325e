#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QString>

#include "app/plan/device_map.h"
#include "app/plan/device_memory.h"
#include "app/runs/rank_table.h"

namespace trainyard {

/// All that is known of one rank's device: its place in the layout, what its rank holds and how long it
/// takes, and what the host says of it.
struct DeviceStats {
    int rank = 0;
    int slot = -1;                               ///< of its host; -1 = unknown
    int stage = 0;                               ///< pipeline rank
    std::array<int, kGroupAxes.size()> groups{}; ///< by GroupAxis
    DeviceMemory memory{};
    RankSummary time{};
    std::optional<DeviceSample> sample{}; ///< newest; nothing on processors, and where the host sends none

    int groupOf(GroupAxis axis) const { return groups[static_cast<std::size_t>(axis)]; }
};

/// Every rank of the run, in order. `planned`: plannedMemory() of the run, which takes a while and does not
/// change.
std::vector<DeviceStats> deviceStats(const RunFacts& facts, const RunSeries& series,
                                     const std::vector<MemoryByCategory>& planned);

/// "94 % · 63 °C · 284 W": what of it is known.
QString loadWords(const DeviceSample& sample);
/// "rank 12 · gpu-03, device 4 · D 1 P 0 T 3".
QString placeWords(const DeviceStats& device);

} // namespace trainyard
