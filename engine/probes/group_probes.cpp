#include "engine/probes/group_probes.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "engine/base/check.h"
#include "engine/comm/process_group.h"
#include "engine/memory/memory_scope.h"

namespace trainyard {

namespace {

std::vector<std::vector<Rank>> ranksOfHosts(const std::vector<int>& slots, int ranksPerHost)
{
    std::vector<std::vector<Rank>> hosts;
    int first = 0;
    for (const int there : slots) {
        std::vector<Rank>& host = hosts.emplace_back();
        for (int i = 0; i < std::min(ranksPerHost, there); ++i)
            host.push_back(Rank{first + i});
        first += there;
    }
    return hosts;
}

bool contains(const std::vector<Rank>& ranks, Rank rank)
{
    return std::ranges::find(ranks, rank) != ranks.end();
}

std::unique_ptr<ProcessGroup> makeGroup(GroupMaker& maker, std::size_t number, std::vector<Rank> members)
{
    if (members.size() < 2 || !contains(members, maker.rank()))
        return nullptr;
    return maker.make({static_cast<std::uint32_t>(number), std::move(members)});
}

/// As gradients lie: where the ranks of a host can reach each other's without copies.
at::Tensor zeros(double bytes, const Device& device)
{
    const MemoryScope scope(MemoryCategory::Gradients);
    const auto numbers = static_cast<std::int64_t>(bytes) / 4;
    return at::zeros({numbers}, at::TensorOptions().dtype(at::kFloat).device(device.place));
}

FloatSpan spanOf(at::Tensor& numbers)
{
    return {numbers.data_ptr(), static_cast<std::size_t>(numbers.numel()), FloatType::Float32};
}

} // namespace

ProbeGroups makeProbeGroups(GroupMaker& maker, const std::vector<int>& slots, int ranksPerHost)
{
    const auto hosts = ranksOfHosts(slots, ranksPerHost);
    ProbeGroups groups;
    std::size_t number = 0;
    for (const std::vector<Rank>& host : hosts) {
        if (auto group = makeGroup(maker, ++number, host))
            groups.node = std::move(group);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(ranksPerHost); ++i) {
        std::vector<Rank> across;
        for (const std::vector<Rank>& host : hosts)
            across.push_back(host[i]);
        if (auto group = makeGroup(maker, ++number, std::move(across)))
            groups.network = std::move(group);
    }
    return groups;
}

std::function<void()> groupWork(const Probe& probe, ProcessGroup& group, const Device& device)
{
    const double members = group.size().value;
    if (probe.kind == ProbeKind::AllReduce)
        return [&group, numbers = zeros(probe.bytes, device)]() mutable { group.allReduce(spanOf(numbers)); };
    if (probe.kind == ProbeKind::AllGather) {
        const double part = static_cast<double>(static_cast<std::int64_t>(probe.bytes / members / 4) * 4);
        return [&group, all = zeros(part * members, device)]() mutable {
            group.allGather(spanOf(all).asWritableBytes());
        };
    }
    TRAINYARD_CHECK_MSG(probe.kind == ProbeKind::Send, "a device probe is not a probe between ranks");
    return [&group, out = zeros(probe.bytes, device), in = zeros(probe.bytes, device)]() mutable {
        group.shiftAsync(spanOf(out).asBytes(), spanOf(in).asWritableBytes()).wait();
    };
}

} // namespace trainyard
