#include "app/models/memory_groups.h"

#include <algorithm>
#include <numeric>

namespace trainyard {

namespace {

Bytes neededOf(const MemoryByCategory& bytes, const HostMemory& host)
{
    const Bytes total = std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
    return host.onDevices ? total - bytes[static_cast<std::size_t>(MemoryCategory::Host)] : total;
}

int groupOf(std::vector<MemoryGroup>& groups, const MemoryByCategory& bytes, const HostMemory& host)
{
    const Bytes needed = neededOf(bytes, host);
    const auto same = std::ranges::find_if(groups, [&](const MemoryGroup& group) {
        return group.bytes == bytes && group.needed == needed && group.capacity == host.perRank;
    });
    if (same != groups.end())
        return static_cast<int>(same - groups.begin());
    groups.push_back(
        {.bytes = bytes, .needed = needed, .capacity = host.perRank, .onDevices = host.onDevices});
    return static_cast<int>(groups.size()) - 1;
}

void addDevice(MemoryGroup& group, int stage, const QString& host)
{
    const auto place = std::ranges::lower_bound(group.stages, stage);
    if (place == group.stages.end() || *place != stage)
        group.stages.insert(place, stage);
    if (group.hosts.isEmpty() || group.hosts.last() != host)
        group.hosts << host;
    ++group.devices;
}

} // namespace

GroupedMemory groupMemory(const DeviceMap& map, const std::vector<MemoryByCategory>& pipelineRanks,
                          const std::vector<HostMemory>& hosts)
{
    GroupedMemory grouped;
    grouped.ofDevice.assign(map.devices().size(), -1);
    auto host = hosts.begin();
    for (const MappedNode& node : map.nodes()) {
        if (node.used == 0)
            continue;
        for (int index = node.firstDevice; index < node.firstDevice + std::min(node.used, node.shown);
             ++index) {
            const int stage = map.device(index).at.pipeline;
            const auto planned = std::min(static_cast<std::size_t>(stage), pipelineRanks.size() - 1);
            const int group = groupOf(grouped.groups, pipelineRanks[planned], *host);
            grouped.ofDevice[static_cast<std::size_t>(index)] = group;
            addDevice(grouped.groups[static_cast<std::size_t>(group)], stage, node.host);
        }
        ++host;
    }
    return grouped;
}

} // namespace trainyard
