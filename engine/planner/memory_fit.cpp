#include "engine/planner/memory_fit.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

std::optional<Bytes> smaller(std::optional<Bytes> a, std::optional<Bytes> b)
{
    return a && b ? std::min(*a, *b) : a ? a : b;
}

std::optional<Bytes> perRank(const NodeSpec& node, int ranks, std::optional<Bytes> mainMemory)
{
    const auto promised = node.memory > 0 ? std::optional(node.memory) : std::nullopt;
    const auto share = mainMemory ? std::optional(*mainMemory / static_cast<Bytes>(ranks)) : std::nullopt;
    return smaller(promised, share);
}

} // namespace

std::vector<HostMemory> memoryOfHosts(const RunSpec& spec,
                                      const std::function<std::optional<Bytes>(std::size_t node)>& mainMemory)
{
    std::vector<HostMemory> hosts;
    int left = spec.layout.worldSize();
    for (std::size_t i = 0; i < spec.cluster.nodes.size(); ++i) {
        const NodeSpec& node = spec.cluster.nodes[i];
        const int ranks = std::clamp(left, 0, std::max(0, node.slotCount));
        left -= ranks;
        if (ranks > 0)
            hosts.push_back({node.host, ranks, perRank(node, ranks, mainMemory(i))});
    }
    return hosts;
}

std::optional<HostMemory> tooSmall(const std::vector<HostMemory>& hosts, Bytes needed)
{
    std::optional<HostMemory> tightest;
    for (const HostMemory& host : hosts) {
        if (host.perRank && *host.perRank < needed && (!tightest || *host.perRank < *tightest->perRank))
            tightest = host;
    }
    return tightest;
}

Status fitsMemory(const std::vector<HostMemory>& hosts, Bytes needed)
{
    const auto tight = tooSmall(hosts, needed);
    if (!tight)
        return {};
    const std::string shared =
        tight->ranks == 1 ? "its rank" : fmt::format("each of its {} ranks", tight->ranks);
    return refused(
        fmt::format("a rank needs {} as planned, and {} has {} for {}", formatBytes(needed), tight->host,
                    formatBytes(*tight->perRank), shared),
        "lower batch.micro, set memory.recompute or memory.zero_stage, raise layout.tensor, or use "
        "more hosts");
}

} // namespace trainyard
