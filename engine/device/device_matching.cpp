#include "engine/device/device_matching.h"

namespace trainyard {

bool DeviceMatching::add(std::vector<OfferedDevice> seen)
{
    std::map<std::string, int> times;
    Slots slotList;
    for (const OfferedDevice& device : seen)
        slotList.emplace_back(device.identity, times[device.identity]++);
    m_known.insert(slotList.begin(), slotList.end());
    const std::size_t rank = m_seen.size();
    m_seen.push_back(std::move(slotList));
    m_places.push_back(0);
    std::set<Slot> tried;
    if (takeFree(rank) || takeFromAnother(rank, tried))
        return true;
    m_seen.pop_back();
    m_places.pop_back();
    return false;
}

/// Before any other one moves: so equal lists are taken in order.
bool DeviceMatching::takeFree(std::size_t rank)
{
    for (std::size_t place = 0; place < m_seen[rank].size(); ++place) {
        if (m_ranks.contains(m_seen[rank][place]))
            continue;
        give(rank, place);
        return true;
    }
    return false;
}

bool DeviceMatching::takeFromAnother(std::size_t rank, std::set<Slot>& tried)
{
    for (std::size_t place = 0; place < m_seen[rank].size(); ++place) {
        const Slot& slot = m_seen[rank][place];
        if (!tried.insert(slot).second)
            continue;
        const std::size_t owner = m_ranks.at(slot);
        if (!takeFree(owner) && !takeFromAnother(owner, tried))
            continue;
        give(rank, place);
        return true;
    }
    return false;
}

void DeviceMatching::give(std::size_t rank, std::size_t place)
{
    m_ranks[m_seen[rank][place]] = rank;
    m_places[rank] = place;
}

} // namespace trainyard
