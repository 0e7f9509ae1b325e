#include "engine/planner/time/group_place.h"

#include <algorithm>

namespace trainyard {

GroupPlace placeOf(const RankGrid& grid, const std::vector<Axis>& axes, int devicesPerNode)
{
    const std::vector<Rank> group = grid.group(Rank{0}, axes);
    int nodes = 0;
    int onFirst = 0;
    int last = -1;
    for (const Rank rank : group) {
        const int node = rank.value / devicesPerNode;
        nodes += node != last ? 1 : 0;
        onFirst += node == 0 ? 1 : 0;
        last = node;
    }
    const int perNode = std::min(grid.worldSize().value, devicesPerNode);
    return {static_cast<int>(group.size()), nodes, std::max(1, perNode / onFirst)};
}

} // namespace trainyard
