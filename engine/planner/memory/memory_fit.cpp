#include "engine/planner/memory/memory_fit.h"

#include <algorithm>
#include <numeric>
#include <tuple>

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

std::optional<Bytes> shareOf(std::optional<Bytes> memory, int ranks)
{
    return memory ? std::optional(*memory / static_cast<Bytes>(ranks)) : std::nullopt;
}

bool getDevices(const RunSpec& spec, int ranks, const NodeMemory& memory)
{
    return spec.launch.device != DeviceKind::Cpu && memory.devices.size() >= static_cast<std::size_t>(ranks);
}

std::optional<Bytes> perRank(const RunSpec& spec, const NodeSpec& node, int ranks, const NodeMemory& memory)
{
    const auto promised = node.memory > 0 ? std::optional(node.memory) : std::nullopt;
    const auto share = shareOf(memory.main, ranks);
    if (spec.launch.device == DeviceKind::Cuda && memory.devices.empty())
        return promised; // nobody has looked at its devices
    if (!getDevices(spec, ranks, memory))
        return smaller(promised, share);
    const std::optional<Bytes> device =
        *std::min_element(memory.devices.begin(), memory.devices.begin() + ranks);
    return smaller(promised, spec.launch.device == DeviceKind::Auto ? larger(device, share) : device);
}

std::optional<MemoryShortage> shortageOn(const HostMemory& host, const MemoryByCategory& bytes)
{
    const RankNeed need = needOf(bytes);
    if (!host.fits(need))
        return MemoryShortage{host, bytes, false, host.needed(need), *host.capacity()};
    if (!host.holdsOffloaded(need))
        return MemoryShortage{host, bytes, true, need.onHost, *host.mainPerRank};
    return std::nullopt;
}

bool isGraver(const MemoryShortage& a, const MemoryShortage& b)
{
    return std::tuple(a.ofMainMemory, a.room, b.needed) < std::tuple(b.ofMainMemory, b.room, a.needed);
}

/// Of each host the pipeline ranks that it has to hold.
std::vector<std::vector<int>> judgedRanks(const ParallelLayout& layout, const std::vector<HostMemory>& hosts,
                                          int pipelineRanks)
{
    const auto grid = RankGrid::create(layout);
    if (grid.ok() && layout.pipeline == pipelineRanks)
        return pipelineRanksOf(hosts, *grid);
    std::vector<int> all(static_cast<std::size_t>(pipelineRanks));
    std::iota(all.begin(), all.end(), 0);
    return std::vector(hosts.size(), all);
}

} // namespace

RankNeed needOf(const MemoryByCategory& bytes)
{
    const Bytes onHost = bytes[static_cast<std::size_t>(MemoryCategory::Host)];
    return {std::accumulate(bytes.begin(), bytes.end(), Bytes{0}) - onHost, onHost};
}

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
        const bool onDevices = getDevices(spec, ranks, ofNode);
        hosts.push_back({node.host, ranks, perRank(spec, node, ranks, ofNode), onDevices,
                         onDevices ? shareOf(ofNode.main, ranks) : std::nullopt, 1, i,
                         onDevices ? std::nullopt : ofNode.math});
    }
    return hosts;
}

DeviceKind resolvedDevice(DeviceKind asked, const std::vector<HostMemory>& hosts)
{
    const bool onDevices = !hosts.empty() && std::ranges::all_of(hosts, &HostMemory::onDevices);
    return asked == DeviceKind::Auto && onDevices ? DeviceKind::Cuda : asked;
}

NarrowProducts productsOn(const RunSpec& spec, const HostMemory& host)
{
    if (!host.math || host.onDevices || spec.launch.device == DeviceKind::Cuda)
        return NarrowProducts::Native;
    switch (spec.precision.compute) {
    case ComputeType::BFloat16:
        return host.math->bfloat16;
    case ComputeType::Float16:
        return host.math->float16;
    default:
        return NarrowProducts::Native;
    }
}

NarrowProducts productsOn(const RunSpec& spec, const std::vector<HostMemory>& hosts)
{
    const bool widens = std::ranges::any_of(
        hosts, [&](const HostMemory& host) { return productsOn(spec, host) == NarrowProducts::Widened; });
    return widens ? NarrowProducts::Widened : NarrowProducts::Native;
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
            return refused(
                fmt::format("launch.device: {} gets {} rank{}, but has {} CUDA device{}", node.host, ranks,
                            ranks == 1 ? "" : "s", devices, devices == 1 ? "" : "s"),
                devices == 0 ? std::string("set launch.device to \"cpu\" or \"auto\", or use another host")
                             : fmt::format("give it {} slots in cluster.nodes, or set launch.device to "
                                           "\"cpu\"",
                                           devices));
    }
    return {};
}

std::optional<Bytes> HostMemory::capacity() const
{
    if (!perRank)
        return std::nullopt;
    return static_cast<Bytes>(usableShare * static_cast<double>(*perRank));
}

bool HostMemory::fits(const RankNeed& need) const
{
    const auto there = capacity();
    return !there || needed(need) <= *there;
}

bool HostMemory::holdsOffloaded(const RankNeed& need) const
{
    return !onDevices || !mainPerRank || need.onHost <= *mainPerRank;
}

Error MemoryShortage::error() const
{
    const std::string shared = host.ranks == 1 ? "its rank" : fmt::format("each of its {} ranks", host.ranks);
    if (ofMainMemory)
        return refused(fmt::format("a rank is planned to need {} of host memory, but {} has {} for {}",
                                   formatBytes(needed), host.host, formatBytes(room), shared),
                       "offload less, or use more hosts");
    const std::string there =
        room == *host.perRank ? formatBytes(room)
                              : fmt::format("{} ({} usable)", formatBytes(*host.perRank), formatBytes(room));
    return refused(
        fmt::format("a rank is planned to need {}, but {} has {} for {}", formatBytes(needed), host.host,
                    there, shared),
        "lower batch.micro, set memory.recompute or memory.zero_stage, raise layout.tensor, or use "
        "more hosts");
}

std::vector<std::vector<int>> pipelineRanksOf(const std::vector<HostMemory>& hosts, const RankGrid& grid)
{
    std::vector<std::vector<int>> pipelineRanks;
    int first = 0;
    for (const HostMemory& host : hosts) {
        pipelineRanks.push_back(grid.coordsAlong(Axis::Pipeline, Rank{first}, host.ranks));
        first += host.ranks;
    }
    return pipelineRanks;
}

std::optional<MemoryShortage> memoryShortage(const ParallelLayout& layout,
                                             const std::vector<HostMemory>& hosts,
                                             const std::vector<MemoryByCategory>& pipelineRanks)
{
    std::optional<MemoryShortage> gravest;
    const auto ranksOfHosts = judgedRanks(layout, hosts, static_cast<int>(pipelineRanks.size()));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        for (const int rank : ranksOfHosts[i]) {
            const auto shortage = shortageOn(hosts[i], pipelineRanks[static_cast<std::size_t>(rank)]);
            if (shortage && (!gravest || isGraver(*shortage, *gravest)))
                gravest = shortage;
        }
    }
    return gravest;
}

} // namespace trainyard
