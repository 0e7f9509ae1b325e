#include "engine/planner/search/found_spec.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

/// The next name that no node has, counted from the node's own place.
std::string freeName(const std::vector<NodeSpec>& nodes)
{
    for (std::size_t number = nodes.size() + 1;; ++number) {
        std::string name = fmt::format("node-{}", number);
        if (std::ranges::find(nodes, name, &NodeSpec::host) == nodes.end())
            return name;
    }
}

void resize(ClusterSpec& cluster, std::size_t count, bool sameHost)
{
    if (cluster.nodes.size() > count)
        cluster.nodes.resize(count);
    while (cluster.nodes.size() < count) {
        NodeSpec node;
        node.host = sameHost ? cluster.nodes.front().host : freeName(cluster.nodes);
        cluster.nodes.push_back(node);
    }
}

} // namespace

RunSpec foundSpec(const SearchRequest& request, const FoundLayout& layout, const std::string& hardware)
{
    RunSpec spec = layout.spec;
    const int devices = request.node.devices;
    const int nodes = (spec.layout.worldSize() + devices - 1) / devices;
    resize(spec.cluster, static_cast<std::size_t>(nodes), spec.launch.launcher == LauncherKind::Slurm);
    for (NodeSpec& node : spec.cluster.nodes) {
        node.slotCount = devices;
        node.hardware = hardware;
    }
    return spec;
}

} // namespace trainyard
