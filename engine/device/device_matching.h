#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/device/host_devices.h"

namespace trainyard {

/// The ranks of one host, each with a device of its own from the list that it sees: a matching that grows
/// rank by rank. With equal lists the ranks have the devices in their order.
class DeviceMatching {
public:
    /// Adds the next rank; the others may move to other devices of their lists for it (an augmenting path).
    /// False when that leaves no device for it; then nothing changes.
    bool add(std::vector<OfferedDevice> seen);

    std::size_t ranks() const { return m_places.size(); }
    /// The place of its device in the list of the rank that was added as number `rank`, from 0.
    std::size_t placeOf(std::size_t rank) const { return m_places[rank]; }
    /// How many devices all lists so far have together.
    std::size_t devices() const { return m_known.size(); }

private:
    /// A device, and the how manieth time that a list names it: whoever names one twice wants two ranks on
    /// it.
    using Slot = std::pair<std::string, int>;
    using Slots = std::vector<Slot>;

    bool takeFree(std::size_t rank);
    bool takeFromAnother(std::size_t rank, std::set<Slot>& tried);
    void give(std::size_t rank, std::size_t place);

    std::vector<Slots> m_seen;         ///< by rank
    std::vector<std::size_t> m_places; ///< by rank
    std::map<Slot, std::size_t> m_ranks;
    std::set<Slot> m_known;
};

} // namespace trainyard
