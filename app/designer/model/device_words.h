#pragma once

#include <QString>

#include "app/designer/model/memory_groups.h"
#include "app/plan/device_map.h"

namespace trainyard {

// What the picture of a cluster says in words.

/// "12 ranks on 2 hosts with 12 slots", and of it what has no slot and what does not fit.
QString clusterWords(const DeviceMap& map, const GroupedMemory& memory);
/// "gpu-11 · 6 of 8 slots get a rank".
QString nodeWords(const MappedNode& node);
/// "rank 37 · gpu-11, slot 5 · D 4 P 1 T 5 · 27.4 GiB of 40.0 GiB".
QString deviceWords(const DeviceMap& map, const GroupedMemory& memory, int device);
/// "T of 8 on this host · P of 4 on 4 hosts": whom the device exchanges with. Empty for a free one.
QString partnerWords(const DeviceMap& map, int device);
/// "stage 0 · 128 devices", "gpu-03 · 4 devices": as much of it as tells this group from the others. With
/// several stages a rank it is the pipeline rank that is named.
QString groupWords(const GroupedMemory& memory, const MemoryGroup& group, const ParallelLayout& layout);
/// "27.4 GiB of 40.0 GiB, does not fit".
QString roomWords(const MemoryGroup& group);
/// What a group along that axis has: "the same weights, ...".
QString axisWords(GroupAxis axis);
/// What a letter of the placement means for the links; `position` counts from the left.
QString placementWords(const DeviceMap& map, GroupAxis axis, int position);

} // namespace trainyard
