#include "engine/planner/partition/pipeline_nodes.h"

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/planner/hardware/hardware_problems.h"
#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/layout/rank_grid.h"

namespace trainyard {

namespace {

/// Every host that gets a rank.
std::vector<HostMemory> hostsOf(const RunSpec& spec, const std::vector<NodeModel>& nodes)
{
    std::vector<HostMemory> hosts = memoryOfHosts(spec, [](std::size_t) { return NodeMemory(); });
    for (HostMemory& host : hosts) {
        TRAINYARD_CHECK(host.node < nodes.size());
        host = onHardware(std::move(host), nodes[host.node], spec.launch.device);
    }
    return hosts;
}

std::vector<std::vector<HostMemory>> byPipelineRank(const std::vector<HostMemory>& hosts,
                                                    const RankGrid& grid, int pipeline)
{
    std::vector<std::vector<HostMemory>> hostsOfRanks(static_cast<std::size_t>(pipeline));
    const auto ranksOfHosts = pipelineRanksOf(hosts, grid);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        for (const int rank : ranksOfHosts[i])
            hostsOfRanks[static_cast<std::size_t>(rank)].push_back(hosts[i]);
    }
    return hostsOfRanks;
}

/// Each with as many devices as ranks may run on it.
ClusterModel clusterOf(const std::vector<HostMemory>& hosts, const RunSpec& spec,
                       const std::vector<NodeModel>& nodes)
{
    ClusterModel cluster;
    for (const HostMemory& host : hosts) {
        NodeModel node = nodes[host.node];
        node.devices = spec.cluster.nodes[host.node].slotCount;
        if (cluster.parts.empty() || cluster.parts.back().node != node)
            cluster.parts.push_back({std::move(node), 0});
        ++cluster.parts.back().count;
    }
    return cluster;
}

/// Nothing of nodes that get no rank.
std::vector<std::optional<NodeModel>> used(const std::vector<NodeModel>& nodes,
                                           const std::vector<HostMemory>& hosts)
{
    std::vector<std::optional<NodeModel>> found(nodes.size());
    for (const HostMemory& host : hosts)
        found[host.node] = nodes[host.node];
    return found;
}

int ranksOn(const std::vector<HostMemory>& hosts)
{
    int ranks = 0;
    for (const HostMemory& host : hosts)
        ranks += host.ranks;
    return ranks;
}

} // namespace

Result<std::vector<PipelineNode>> pipelineNodes(const RunSpec& spec, const std::vector<NodeModel>& nodes)
{
    TRAINYARD_TRY(const RankGrid grid, RankGrid::create(spec.layout));
    const std::vector<HostMemory> hosts = hostsOf(spec, nodes);
    if (const Diagnostics problems = hardwareProblems(spec, used(nodes, hosts)); !problems.empty())
        return toError(problems);
    if (ranksOn(hosts) < grid.worldSize().value)
        return refused(fmt::format("{} ranks, but only {} slots", grid.worldSize().value, ranksOn(hosts)),
                       "add hosts or slots to cluster.nodes");
    const NodeModel worst = clusterOf(hosts, spec, nodes).governing(spec.precision.compute);
    std::vector<PipelineNode> found;
    for (auto& members : byPipelineRank(hosts, grid, spec.layout.pipeline)) {
        PipelineNode one{clusterOf(members, spec, nodes).governing(spec.precision.compute),
                         std::move(members)};
        one.node.network = worst.network;
        one.node.devices = worst.devices;
        found.push_back(std::move(one));
    }
    return found;
}

} // namespace trainyard
