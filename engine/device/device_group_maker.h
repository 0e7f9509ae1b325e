#pragma once

#include "engine/comm/group_maker.h"

namespace trainyard {

class CollectiveWatchdog;
class MemoryLedger;
struct CudaPlugin;

/// Makes groups whose ranks also reach each other's devices. Host memory goes through the groups that it
/// builds on.
class DeviceGroupMaker final : public GroupMaker {
public:
    /// All of it outlives the maker and its groups. The watchdog watches the making, too, and the ledger
    /// counts the device memory that a group took, as Communication and until the ledger ends.
    DeviceGroupMaker(GroupMaker& host, const CudaPlugin& plugin, CollectiveWatchdog& watchdog,
                     MemoryLedger& memory)
        : m_host(host), m_plugin(plugin), m_watchdog(watchdog), m_memory(memory)
    {
    }

    Rank rank() const override { return m_host.rank(); }
    WorldSize worldSize() const override { return m_host.worldSize(); }
    /// Throws CommunicationError when a member does not come. A group of one rank communicates with nobody:
    /// its collectives touch no memory.
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override;

private:
    std::unique_ptr<DeviceTransport> connect(ProcessGroup& group, DeviceTraffic traffic);

    GroupMaker& m_host;
    const CudaPlugin& m_plugin;
    CollectiveWatchdog& m_watchdog;
    MemoryLedger& m_memory;
};

} // namespace trainyard
