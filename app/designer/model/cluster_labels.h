#pragma once

#include <QString>

#include "app/designer/model/memory_groups.h"
#include "app/plan/device_map.h"

namespace trainyard {

// Texts of the cluster picture.

/// "12 ranks on 2 hosts with 12 slots", with ranks without a slot and devices that are too small.
QString describeCluster(const DeviceMap& map, const GroupedMemory& memory);
/// "gpu-11 · 6 of 8 slots get a rank".
QString describeNode(const MappedNode& node);
/// "rank 37 · gpu-11, slot 5 · D 4 P 1 T 5 · 27.4 GiB of 40.0 GiB".
QString describeDevice(const DeviceMap& map, const GroupedMemory& memory, int device);
/// "T of 8 on this host · P of 4 on 4 hosts": the groups of the device. Empty for a free device.
QString describePartners(const DeviceMap& map, int device);
/// "stage 0 · 128 devices", "gpu-03 · 4 devices": the shortest text that distinguishes this group from the
/// others. With several stages per rank it names the pipeline rank.
QString describeGroup(const GroupedMemory& memory, const MemoryGroup& group, const ParallelLayout& layout);
/// "27.4 GiB of 40.0 GiB, does not fit".
QString capacityText(const MemoryGroup& group);
/// Describes what a group along that axis shares: "replicas of the same weights, ...".
QString axisLabel(GroupAxis axis);
/// Explains the effect of a placement letter on the links; `position` counts from the left.
QString describePlacement(const DeviceMap& map, GroupAxis axis, int position);

} // namespace trainyard
