#pragma once

#include <vector>

#include "engine/planner/layout/rank_grid.h"

namespace trainyard {

/// How a group of ranks lies on nodes.
struct GroupPlace {
    int ranks = 1;
    int nodes = 1;
    int groupsPerNode = 1; ///< groups of the same kind that use a node's adapters at the same time

    bool operator==(const GroupPlace&) const = default;
};

/// Of groups of `ranks` neighbours among `whole`'s, which lie on its nodes as evenly as the whole, and of
/// those that have the same place in each.
GroupPlace neighboursIn(const GroupPlace& whole, int ranks);
GroupPlace acrossNeighbours(const GroupPlace& whole, int ranks);

/// Of the groups along `axes`, with ranks dealt to nodes in order. Where they lie differently, as groups of
/// six do on nodes of eight, the one on most nodes stands for all.
GroupPlace placeOf(const RankGrid& grid, const std::vector<Axis>& axes, int devicesPerNode);

} // namespace trainyard
