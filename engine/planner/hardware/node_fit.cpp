#include "engine/planner/hardware/node_fit.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

Bytes usable(Bytes memory)
{
    return static_cast<Bytes>(kUsableShare * static_cast<double>(memory));
}

} // namespace

RankRoom roomOnNode(const NodeModel& node, int ranks)
{
    const Bytes hostShare = node.hostMemory / static_cast<Bytes>(ranks);
    if (node.sharesMemory)
        return {usable(std::min(node.device.memory, hostShare)), 0};
    return {usable(node.device.memory), hostShare};
}

RankNeed needOnNode(const RankNeed& need, const NodeModel& node)
{
    return node.sharesMemory ? RankNeed{need.onDevice + need.onHost, 0} : need;
}

Status fitsNode(const RankNeed& asked, const NodeModel& node, int ranks)
{
    const RankRoom room = roomOnNode(node, ranks);
    const RankNeed need = needOnNode(asked, node);
    if (need.onDevice > room.device)
        return refused(fmt::format("a rank needs {} as planned, and a device's {} have room for {}",
                                   formatBytes(need.onDevice), formatBytes(node.device.memory),
                                   formatBytes(room.device)),
                       "lower batch.micro, set memory.recompute or memory.zero_stage, raise layout.tensor, "
                       "or use more hosts");
    if (need.onHost > room.host)
        return refused(
            fmt::format("a rank needs {} of its host's memory as planned, and each of {} ranks has "
                        "{} of {}",
                        formatBytes(need.onHost), ranks, formatBytes(room.host),
                        formatBytes(node.hostMemory)),
            "offload less, or use more hosts");
    return {};
}

} // namespace trainyard
