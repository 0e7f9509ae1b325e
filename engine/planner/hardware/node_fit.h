#pragma once

#include "engine/planner/hardware/hardware.h"
#include "engine/planner/memory/memory_fit.h"

namespace trainyard {

/// The share of a device that may be planned. The rest is for the program, its libraries' buffers and gaps,
/// which no estimate counts. What ZeRO's authors reached is 0.82 of a device, activations counted in the rest
/// (arXiv:1910.02054, table 2).
constexpr double kUsableShare = 0.92;

/// The host with the memory that hardware of that kind has for its ranks, of which there is at least one: no
/// more of it than `host` has already, which is what the specification promises. Where the devices' memory is
/// the host's, ranks have their share of it and nothing beside.
HostMemory onHardware(HostMemory host, const NodeModel& node, DeviceKind device);

/// With the peaks of the node's device, where the host's ranks compute on devices.
HostMemory withPeaks(HostMemory host, const NodeModel& node);

/// As resolvedDevice() of memory_fit.h, for ranks on such nodes.
DeviceKind resolvedDevice(DeviceKind asked, const NodeModel& node);

} // namespace trainyard
