#include "engine/planner/time/group_place.h"

#include <algorithm>

namespace trainyard {

namespace {

/// On how many nodes a group of ascending ranks lies.
int nodesOf(const std::vector<Rank>& group, int devicesPerNode)
{
    int nodes = 0;
    int last = -1;
    for (const Rank rank : group) {
        const int node = rank.value / devicesPerNode;
        nodes += node != last ? 1 : 0;
        last = node;
    }
    return nodes;
}

GroupPlace firstPlace(const RankGrid& grid, const std::vector<Axis>& axes, int devicesPerNode)
{
    const std::vector<Rank> group = grid.group(Rank{0}, axes);
    const auto here =
        std::ranges::count_if(group, [devicesPerNode](Rank rank) { return rank.value < devicesPerNode; });
    const int perNode = std::min(grid.worldSize().value, devicesPerNode);
    return {static_cast<int>(group.size()), nodesOf(group, devicesPerNode),
            std::max(1, perNode / static_cast<int>(here))};
}

/// The most nodes that a group lies on, and the most groups that leave one node.
GroupPlace worstPlace(const RankGrid& grid, const std::vector<Axis>& axes, int devicesPerNode)
{
    GroupPlace worst;
    std::vector<int> leaving(static_cast<std::size_t>(grid.worldSize().value / devicesPerNode) + 1);
    for (int rank = 0; rank < grid.worldSize().value; ++rank) {
        const std::vector<Rank> group = grid.group(Rank{rank}, axes);
        if (group.front().value != rank)
            continue;
        worst.ranks = static_cast<int>(group.size());
        const int nodes = nodesOf(group, devicesPerNode);
        worst.nodes = std::max(worst.nodes, nodes);
        int last = -1;
        for (const Rank member : group) {
            const int node = member.value / devicesPerNode;
            leaving[static_cast<std::size_t>(node)] += nodes > 1 && node != last ? 1 : 0;
            last = node;
        }
    }
    worst.groupsPerNode = std::max(1, std::ranges::max(leaving));
    return worst;
}

int perNode(const GroupPlace& place)
{
    return (place.ranks + place.nodes - 1) / place.nodes;
}

} // namespace

GroupPlace neighboursIn(const GroupPlace& whole, int ranks)
{
    const int here = std::min(perNode(whole), ranks);
    return {ranks, (ranks + here - 1) / here, std::max(1, whole.groupsPerNode * perNode(whole) / here)};
}

GroupPlace acrossNeighbours(const GroupPlace& whole, int ranks)
{
    const int here = std::max(1, perNode(whole) / ranks);
    const int groups = whole.ranks / ranks;
    return {groups, (groups + here - 1) / here, std::max(1, whole.groupsPerNode * perNode(whole) / here)};
}

GroupPlace placeOf(const RankGrid& grid, const std::vector<Axis>& axes, int devicesPerNode)
{
    return grid.repeatsEvery(devicesPerNode) ? firstPlace(grid, axes, devicesPerNode)
                                             : worstPlace(grid, axes, devicesPerNode);
}

} // namespace trainyard
