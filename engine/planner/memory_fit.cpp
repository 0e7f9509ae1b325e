#include "engine/planner/memory_fit.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

std::optional<Bytes> smaller(std::optional<Bytes> a, std::optional<Bytes> b)
{
    return a && b ? std::min(*a, *b) : a ? a : b;
}

std::optional<Bytes> larger(std::optional<Bytes> a, std::optional<Bytes> b)
{
    return a && b ? std::max(*a, *b) : a ? a : b;
}

bool getDevices(const RunSpec& spec, int ranks, const NodeMemory& memory)
{
    return spec.launch.device != DeviceKind::Cpu && memory.devices.size() >= static_cast<std::size_t>(ranks);
}

std::optional<Bytes> perRank(const RunSpec& spec, const NodeSpec& node, int ranks, const NodeMemory& memory)
{
    const auto promised = node.memory > 0 ? std::optional(node.memory) : std::nullopt;
    const auto share = memory.main ? std::optional(*memory.main / static_cast<Bytes>(ranks)) : std::nullopt;
    if (spec.launch.device == DeviceKind::Cuda && memory.devices.empty())
        return promised; // nobody has looked at its devices
    if (!getDevices(spec, ranks, memory))
        return smaller(promised, share);
    const std::optional<Bytes> device =
        *std::min_element(memory.devices.begin(), memory.devices.begin() + ranks);
    return smaller(promised, spec.launch.device == DeviceKind::Auto ? larger(device, share) : device);
}

} // namespace

std::vector<HostMemory> memoryOfHosts(const RunSpec& spec, const MemoryOfNode& memory)
{
    std::vector<HostMemory> hosts;
    int left = spec.layout.worldSize();
    for (std::size_t i = 0; i < spec.cluster.nodes.size(); ++i) {
        const NodeSpec& node = spec.cluster.nodes[i];
        const int ranks = std::clamp(left, 0, std::max(0, node.slotCount));
        left -= ranks;
        if (ranks == 0)
            continue;
        const NodeMemory ofNode = memory(i);
        hosts.push_back(
            {node.host, ranks, perRank(spec, node, ranks, ofNode), getDevices(spec, ranks, ofNode)});
    }
    return hosts;
}

Status haveDevices(const RunSpec& spec, const MemoryOfNode& memory)
{
    int left = spec.layout.worldSize();
    for (std::size_t i = 0; i < spec.cluster.nodes.size() && spec.launch.device == DeviceKind::Cuda; ++i) {
        const NodeSpec& node = spec.cluster.nodes[i];
        const int ranks = std::clamp(left, 0, std::max(0, node.slotCount));
        const std::size_t devices = memory(i).devices.size();
        left -= ranks;
        if (devices < static_cast<std::size_t>(ranks))
            return refused(fmt::format("launch.device: {} gets {} rank{} and has {} CUDA device{}", node.host,
                                       ranks, ranks == 1 ? "" : "s", devices, devices == 1 ? "" : "s"),
                           devices == 0
                               ? std::string("set launch.device to \"cpu\" or \"auto\", or use another host")
                               : fmt::format("give it {} slots in cluster.nodes, or set launch.device to "
                                             "\"cpu\"",
                                             devices));
    }
    return {};
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
