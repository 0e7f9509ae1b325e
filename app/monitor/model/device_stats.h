#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/plan/device_map.h"
#include "app/plan/device_memory.h"
#include "app/runs/rank_table.h"

namespace trainyard {

/// Everything known about the device of one rank: position in the layout, memory and step time of the rank,
/// and the host's sample.
struct DeviceStats {
    int rank = 0;
    int slot = -1;                               ///< of its host; -1 = unknown
    int stage = 0;                               ///< pipeline rank
    std::array<int, kGroupAxes.size()> groups{}; ///< by GroupAxis
    DeviceMemory memory{};
    RankSummary time{};
    RankDevice device{};                  ///< empty on CPUs
    std::optional<DeviceSample> sample{}; ///< newest; nullopt on CPUs and when the host sends none

    int groupOf(GroupAxis axis) const { return groups[static_cast<std::size_t>(axis)]; }
};

/// Returns all ranks of the run in order. `planned`: plannedMemory() of the run, which is slow to compute and
/// constant.
std::vector<DeviceStats> deviceStats(const RunFacts& facts, const RunSeries& series,
                                     const std::vector<MemoryByCategory>& planned);

/// Formats the known values, e.g. "94 % · 63 °C · 284 W".
QString loadText(const DeviceSample& sample);
/// Says what is wrong with the device, e.g. "2 uncorrected memory errors" or "throttled by heat"; empty =
/// nothing.
QString troubleText(const DeviceSample& sample);
/// Formats what is known of the device, a text for each: name and memory, temperature of the memory, power,
/// clock and what limits it, ECC errors, NVLink. Empty on CPUs.
QStringList healthTexts(const DeviceStats& device);
/// Formats rank, device and groups: "rank 12 · gpu-03, device 4 · D 1 P 0 T 3". The device is the index of
/// the sample, else that of the slot.
QString placeText(const DeviceStats& device);

} // namespace trainyard
