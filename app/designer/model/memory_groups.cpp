#include "app/designer/model/memory_groups.h"

#include <algorithm>
#include <tuple>

namespace trainyard {

namespace {

/// Returns the share of its capacity that a group uses, then its bytes, for sorting.
std::pair<double, Bytes> fullness(const MemoryGroup& group)
{
    const double share = group.capacity ? static_cast<double>(group.needed) /
                                              std::max(1.0, static_cast<double>(*group.capacity))
                                        : 0;
    return {share, group.needed};
}

int groupOf(std::vector<MemoryGroup>& groups, const RankMemory& rank, const HostMemory& host)
{
    const RankNeed need = needOf(rank.peak);
    const MemoryGroup wanted{.bytes = rank.peak,
                             .resident = rank.resident,
                             .needed = host.needed(need),
                             .capacity = host.capacity(),
                             .onDevices = host.onDevices,
                             .offloadedFits = host.holdsOffloaded(need)};
    const auto room = [](const MemoryGroup& group) {
        return std::tie(group.bytes, group.resident, group.needed, group.capacity, group.offloadedFits);
    };
    const auto same = std::ranges::find(groups, room(wanted), room);
    if (same != groups.end())
        return static_cast<int>(same - groups.begin());
    groups.push_back(wanted);
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

std::vector<MemoryGroup> fullestFirst(std::vector<MemoryGroup> groups)
{
    std::ranges::stable_sort(groups, std::ranges::greater(), fullness);
    return groups;
}

std::optional<MemoryGroup> fullestGroup(const GroupedMemory& memory)
{
    const auto fullest = std::ranges::max_element(memory.groups, {}, fullness);
    return fullest == memory.groups.end() ? std::nullopt : std::optional(*fullest);
}

GroupedMemory groupMemory(const DeviceMap& map, const std::vector<RankMemory>& pipelineRanks,
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
