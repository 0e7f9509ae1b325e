#include "engine/planner/calibration/probe_time.h"

#include <algorithm>

#include "engine/planner/time/collective_time.h"

namespace trainyard {

namespace {

GroupPlace placeOf(ProbeReach reach, const ProbedHardware& hardware)
{
    if (reach == ProbeReach::Node)
        return {hardware.ranksPerHost, 1, 1};
    const int hosts = static_cast<int>(hardware.hosts.size());
    return {hosts, hosts, hardware.ranksPerHost};
}

} // namespace

double predictedTime(const Probe& probe, const ProbedHardware& hardware, const NodeModel& node)
{
    const DeviceModel& device = node.device;
    const GroupPlace place = placeOf(probe.reach, hardware);
    switch (probe.kind) {
    case ProbeKind::Product: {
        const ProductTime time = productTime(probe.product, device, probe.type);
        return std::max(time.arithmetic, time.memory) + device.kernelTime;
    }
    case ProbeKind::Traffic:
        return probe.bytes / device.memoryBandwidth;
    case ProbeKind::Elementwise:
        return probe.bytes / (device.memoryBandwidth * device.trafficEfficiency);
    case ProbeKind::HostTraffic:
        return probe.bytes * hardware.ranksPerHost / node.hostBandwidth;
    case ProbeKind::Launch:
        return kLaunchesOfProbe * std::max(device.kernelTime, device.launchTime);
    case ProbeKind::HostCopy:
        return probe.bytes / node.hostLink;
    case ProbeKind::AllReduce:
        return allReduceTime(probe.bytes, place, node);
    case ProbeKind::AllGather:
        return gatherTime(probe.bytes, place, node);
    case ProbeKind::Send:
        return sendTime(probe.bytes, place, node);
    }
    return 0;
}

} // namespace trainyard
