#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QString>

#include "engine/planner/layout/rank_grid.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The axes of a placement, in the order of the degrees: D (with what context-parallel ranks share), P, T;
/// and E, which of the data-parallel ranks share experts.
enum class GroupAxis { Data, Pipeline, Tensor, Expert };
inline constexpr std::array kPlacedAxes{GroupAxis::Data, GroupAxis::Pipeline, GroupAxis::Tensor};
inline constexpr std::array kGroupAxes{GroupAxis::Data, GroupAxis::Pipeline, GroupAxis::Tensor, GroupAxis::Expert};
QChar letterOf(GroupAxis axis);

/// A slot of a node, and the rank that will run there.
struct MappedDevice {
    int node = 0;
    int slot = 0;  ///< of the node, from 0
    int rank = -1; ///< -1 = free
    GridCoord at{};
    std::array<int, kGroupAxes.size()> groups{}; ///< by GroupAxis, which of the groups along it

    bool isFree() const { return rank < 0; }
    int groupOf(GroupAxis axis) const { return groups[static_cast<std::size_t>(axis)]; }
};

struct MappedNode {
    QString host;
    int slotCount = 0;
    int used = 0;        ///< slots with a rank
    int firstDevice = 0; ///< in DeviceMap::devices()
    int shown = 0;       ///< slots that are listed there
};

/// Placement of a group, which decides the links that its messages use.
struct GroupSpread {
    int size = 1;  ///< ranks
    int hosts = 1; ///< that its ranks are on
};

/// Every slot of a cluster with its rank and the place of that rank in the layout; ranks fill the nodes in
/// order. For an impossible layout all slots are free. A plain value.
class DeviceMap {
public:
    /// A node's slots beyond are counted and not listed: no machine has so many devices.
    static constexpr int kMaxListed = 256;

    DeviceMap() = default;
    explicit DeviceMap(const RunSpec& spec);

    const std::vector<MappedNode>& nodes() const { return m_nodes; }
    const std::vector<MappedDevice>& devices() const { return m_devices; }
    const MappedDevice& device(int index) const { return m_devices[static_cast<std::size_t>(index)]; }
    const MappedNode& nodeOf(int device) const
    {
        return m_nodes[static_cast<std::size_t>(this->device(device).node)];
    }

    const ParallelLayout& layout() const { return m_layout; }
    int worldSize() const { return m_worldSize; } ///< 0 for an impossible layout
    /// Ranks for which the cluster has no slot.
    int homelessRanks() const;
    /// The group along that axis that spans the most hosts.
    GroupSpread widestSpread(GroupAxis axis) const;
    /// Of the device's own group. Requires a device with a rank.
    GroupSpread spreadAround(int device, GroupAxis axis) const;
    /// The axis along which both devices are in one group; nullopt if there is none or they are the same
    /// device.
    std::optional<GroupAxis> sharedGroup(int device, int other) const;

private:
    void addNode(const NodeSpec& node, const RankGrid* grid);
    std::vector<int> hostsOfGroups(GroupAxis axis) const;
    int sizeOfGroups(GroupAxis axis) const;

    ParallelLayout m_layout;
    int m_worldSize = 0;
    int m_slots = 0; ///< of the nodes so far: the first rank of the next one
    std::vector<MappedNode> m_nodes;
    std::vector<MappedDevice> m_devices;
};

} // namespace trainyard
