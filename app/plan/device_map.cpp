#include "app/plan/device_map.h"

#include <algorithm>

#include "engine/spec/limits.h"

namespace trainyard {

namespace {

const std::vector<Axis>& axesOf(GroupAxis axis)
{
    static const std::array<std::vector<Axis>, kGroupAxes.size()> kAxes{
        std::vector{Axis::Data, Axis::Context}, std::vector{Axis::Pipeline}, std::vector{Axis::Tensor},
        std::vector{Axis::Expert}};
    return kAxes[static_cast<std::size_t>(axis)];
}

/// Nothing for degrees that are typed and make no cluster: products of them need not be numbers.
std::optional<RankGrid> gridOf(const ParallelLayout& layout)
{
    std::int64_t ranks = 1;
    for (const int degree : {layout.data, layout.context, layout.pipeline, layout.tensor}) {
        if (degree < 1 || degree > kMaxRanks)
            return std::nullopt;
        ranks = std::min<std::int64_t>(ranks * degree, kMaxRanks + 1);
    }
    const auto grid = RankGrid::create(layout);
    return ranks <= kMaxRanks && grid.ok() ? std::optional(*grid) : std::nullopt;
}

} // namespace

QChar letterOf(GroupAxis axis)
{
    return QLatin1Char("DPTE"[static_cast<std::size_t>(axis)]);
}

DeviceMap::DeviceMap(const RunSpec& spec) : m_layout(spec.layout)
{
    const std::optional<RankGrid> grid = gridOf(spec.layout);
    m_worldSize = grid ? grid->worldSize().value : 0;
    for (const NodeSpec& node : spec.cluster.nodes)
        addNode(node, grid ? &*grid : nullptr);
}

void DeviceMap::addNode(const NodeSpec& node, const RankGrid* grid)
{
    const int slotCount = std::clamp(node.slotCount, 0, kMaxRanks);
    const int index = static_cast<int>(m_nodes.size());
    const int shown = std::min(slotCount, kMaxListed);
    const int used = std::clamp(m_worldSize - m_slots, 0, slotCount);
    m_nodes.push_back(
        {QString::fromStdString(node.host), slotCount, used, static_cast<int>(m_devices.size()), shown});
    for (int slot = 0; slot < shown; ++slot) {
        MappedDevice device{.node = index, .slot = slot};
        if (slot < used) {
            device.rank = m_slots + slot;
            device.at = grid->coordOf(Rank{device.rank});
            for (const GroupAxis axis : kGroupAxes)
                device.groups[static_cast<std::size_t>(axis)] =
                    grid->groupNumber(Rank{device.rank}, axesOf(axis));
        }
        m_devices.push_back(device);
    }
    m_slots = std::min(m_slots + slotCount, kMaxRanks);
}

int DeviceMap::homelessRanks() const
{
    return std::max(0, m_worldSize - m_slots);
}

int DeviceMap::sizeOfGroups(GroupAxis axis) const
{
    switch (axis) {
    case GroupAxis::Data:
        return m_layout.holders();
    case GroupAxis::Pipeline:
        return m_layout.pipeline;
    case GroupAxis::Tensor:
        return m_layout.tensor;
    case GroupAxis::Expert:
        return m_layout.expert;
    }
    return 1;
}

/// Of every group along that axis, on how many hosts it is.
std::vector<int> DeviceMap::hostsOfGroups(GroupAxis axis) const
{
    std::vector<int> hosts(static_cast<std::size_t>(m_worldSize));
    std::vector<int> lastNode(hosts.size(), -1);
    for (const MappedDevice& device : m_devices) { // node by node
        if (device.isFree())
            continue;
        const auto group = static_cast<std::size_t>(device.groupOf(axis));
        hosts[group] += lastNode[group] == device.node ? 0 : 1;
        lastNode[group] = device.node;
    }
    return hosts;
}

GroupSpread DeviceMap::widestSpread(GroupAxis axis) const
{
    const std::vector<int> hosts = hostsOfGroups(axis);
    return hosts.empty() ? GroupSpread()
                         : GroupSpread{sizeOfGroups(axis), std::max(1, std::ranges::max(hosts))};
}

GroupSpread DeviceMap::spreadAround(int device, GroupAxis axis) const
{
    const auto group = static_cast<std::size_t>(this->device(device).groupOf(axis));
    return {sizeOfGroups(axis), hostsOfGroups(axis)[group]};
}

std::optional<GroupAxis> DeviceMap::sharedGroup(int device, int other) const
{
    const MappedDevice& a = this->device(device);
    const MappedDevice& b = this->device(other);
    if (device == other || a.isFree() || b.isFree())
        return std::nullopt;
    // Who shares experts is among the data-parallel ranks, and says more.
    constexpr std::array kNearestFirst{GroupAxis::Expert, GroupAxis::Data, GroupAxis::Pipeline,
                                       GroupAxis::Tensor};
    const auto shared = std::ranges::find_if(
        kNearestFirst, [&](GroupAxis axis) { return a.groupOf(axis) == b.groupOf(axis); });
    return shared == kNearestFirst.end() ? std::nullopt : std::optional(*shared);
}

} // namespace trainyard
