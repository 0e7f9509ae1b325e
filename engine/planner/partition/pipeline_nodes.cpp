#include "engine/planner/partition/pipeline_nodes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/planner/rank_grid.h"

namespace trainyard {

namespace {

/// The node of each rank.
std::vector<std::size_t> nodeOfRanks(const RunSpec& spec)
{
    std::vector<std::size_t> nodes;
    const auto ranks = static_cast<std::size_t>(spec.layout.worldSize());
    for (std::size_t i = 0; i < spec.cluster.nodes.size(); ++i) {
        const auto slotCount = static_cast<std::size_t>(std::max(0, spec.cluster.nodes[i].slotCount));
        nodes.insert(nodes.end(), std::min(slotCount, ranks - nodes.size()), i);
    }
    return nodes;
}

/// Of each pipeline rank, the nodes on which it is.
std::vector<std::set<std::size_t>> nodesOfPipelineRanks(const RankGrid& grid, int pipeline,
                                                        const std::vector<std::size_t>& nodeOfRank)
{
    std::vector<std::set<std::size_t>> nodes(static_cast<std::size_t>(pipeline));
    for (int rank = 0; rank < grid.worldSize().value; ++rank)
        nodes[static_cast<std::size_t>(grid.coordOf(Rank{rank}).pipeline)].insert(
            nodeOfRank[static_cast<std::size_t>(rank)]);
    return nodes;
}

/// Each with as many devices as ranks may run on it.
ClusterModel clusterOf(const std::set<std::size_t>& members, const RunSpec& spec,
                       const std::vector<NodeModel>& nodes)
{
    ClusterModel cluster;
    for (const std::size_t member : members) {
        NodeModel node = nodes[member];
        node.devices = spec.cluster.nodes[member].slotCount;
        if (cluster.parts.empty() || cluster.parts.back().node != node)
            cluster.parts.push_back({std::move(node), 0});
        ++cluster.parts.back().count;
    }
    return cluster;
}

} // namespace

Result<std::vector<PipelineNode>> pipelineNodes(const RunSpec& spec, const std::vector<NodeModel>& nodes)
{
    TRAINYARD_TRY(const RankGrid grid, RankGrid::create(spec.layout));
    const std::vector<std::size_t> nodeOfRank = nodeOfRanks(spec);
    if (static_cast<int>(nodeOfRank.size()) < grid.worldSize().value)
        return refused(fmt::format("{} ranks have {} slots", grid.worldSize().value, nodeOfRank.size()),
                       "add hosts or slots to cluster.nodes");
    TRAINYARD_CHECK(nodeOfRank.back() < nodes.size());
    const NodeModel worst =
        clusterOf({nodeOfRank.begin(), nodeOfRank.end()}, spec, nodes).governing(spec.precision.compute);
    std::vector<PipelineNode> found;
    for (const auto& members : nodesOfPipelineRanks(grid, spec.layout.pipeline, nodeOfRank)) {
        PipelineNode one{clusterOf(members, spec, nodes).governing(spec.precision.compute)};
        for (const std::size_t member : members)
            one.ranks = std::max(one.ranks, spec.cluster.nodes[member].slotCount);
        one.node.network = worst.network;
        one.node.devices = worst.devices;
        found.push_back(std::move(one));
    }
    return found;
}

} // namespace trainyard
