#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "engine/comm/collective_watchdog.h"
#include "engine/comm/group_maker.h"
#include "engine/comm/threads_transport.h"

namespace trainyard {

/// Where the emulated devices of ranks that are threads meet, group by group. Any thread.
class EmulatedNetwork {
public:
    std::shared_ptr<ThreadsMeeting> meeting(std::uint32_t group, int ranks);

private:
    std::mutex m_mutex;
    std::map<std::uint32_t, std::shared_ptr<ThreadsMeeting>> m_meetings;
};

/// Groups that hand all memory to emulated devices: collectives return at once, run on a thread of the
/// group's own, and end when they end.
class EmulatedGroupMaker final : public GroupMaker {
public:
    /// Both outlive the maker, which outlives its groups.
    EmulatedGroupMaker(GroupMaker& host, EmulatedNetwork& network);

    Rank rank() const override { return m_host.rank(); }
    WorldSize worldSize() const override { return m_host.worldSize(); }
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override;

private:
    GroupMaker& m_host;
    EmulatedNetwork& m_network;
    CollectiveWatchdog m_watchdog;
};

} // namespace trainyard
