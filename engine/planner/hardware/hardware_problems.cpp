#include "engine/planner/hardware/hardware_problems.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

void checkSlots(const NodeSpec& spec, std::size_t index, const NodeModel& node, Diagnostics& problems)
{
    if (node.sharesMemory || spec.slotCount <= node.devices)
        return;
    problems.push_back(
        {fmt::format("cluster.nodes[{}].slots", index),
         fmt::format("{} slots, but {} has {} devices", spec.slotCount, spec.hardware, node.devices),
         fmt::format("give at most {} slots", node.devices), ErrorKind::BadInput,
         fmt::format("slots {} > devices {}", spec.slotCount, node.devices)});
}

void checkDevice(DeviceKind device, const NodeSpec& spec, const NodeModel& node, Diagnostics& problems)
{
    if (device == DeviceKind::Cpu && !node.sharesMemory)
        problems.push_back({"launch.device",
                            fmt::format("cpu, but {} is described by its accelerators", spec.hardware),
                            "choose hardware with described processors, or set launch.device to auto"});
    if (device == DeviceKind::Cuda && node.sharesMemory)
        problems.push_back({"launch.device", fmt::format("cuda, but {} has only CPUs", spec.hardware),
                            "choose hardware with GPUs, or set launch.device to auto"});
}

} // namespace

Diagnostics hardwareProblems(const RunSpec& spec, const std::vector<std::optional<NodeModel>>& nodes)
{
    TRAINYARD_CHECK(nodes.size() == spec.cluster.nodes.size());
    Diagnostics problems;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i])
            continue;
        checkSlots(spec.cluster.nodes[i], i, *nodes[i], problems);
        if (std::ranges::find(problems, "launch.device", &Diagnostic::path) == problems.end())
            checkDevice(spec.launch.device, spec.cluster.nodes[i], *nodes[i], problems);
    }
    return problems;
}

} // namespace trainyard
