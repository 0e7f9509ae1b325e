#include "engine/planner/hardware/node_fit.h"

#include <algorithm>

namespace trainyard {

HostMemory onHardware(HostMemory host, const NodeModel& node, DeviceKind device)
{
    const Bytes share = node.hostMemory / static_cast<Bytes>(host.ranks);
    const Bytes ofDevice = node.sharesMemory ? std::min(node.device.memory, share) : node.device.memory;
    const Bytes memory = device == DeviceKind::Cpu ? share : ofDevice;
    host.perRank = std::min(host.perRank.value_or(memory), memory);
    host.onDevices = device != DeviceKind::Cpu && !node.sharesMemory;
    host.mainPerRank = host.onDevices ? std::optional(share) : std::nullopt;
    host.usableShare = kUsableShare;
    host.math = node.sharesMemory ? node.math : std::nullopt;
    return withPeaks(std::move(host), node);
}

HostMemory withPeaks(HostMemory host, const NodeModel& node)
{
    host.float32Peak = host.onDevices ? node.device.peak.float32 : 0;
    host.bfloat16Peak = host.onDevices ? node.device.peak.bfloat16 : 0;
    return host;
}

DeviceKind resolvedDevice(DeviceKind asked, const NodeModel& node)
{
    return resolvedDevice(asked, std::vector{onHardware({.ranks = 1}, node, asked)});
}

} // namespace trainyard
