#include "engine/device/device_group_maker.h"

#include <fmt/format.h>

#include "engine/comm/collective_watchdog.h"
#include "engine/comm/local_transport.h"
#include "engine/comm/process_group.h"
#include "engine/device/cuda/cuda_plugin.h"
#include "engine/memory/memory_ledger.h"

namespace trainyard {

namespace {

/// Of the device; 0 when it does not respond.
Bytes freeMemory(const CudaPlugin& plugin)
{
    Bytes free = 0;
    Bytes total = 0;
    return plugin.deviceMemory(0, &free, &total) ? free : 0;
}

} // namespace

std::unique_ptr<ProcessGroup> DeviceGroupMaker::make(const GroupDescription& description)
{
    if (description.members.size() == 1)
        return std::make_unique<ProcessGroup>(
            ProcessGroup::Parts{std::make_unique<LocalTransport>(), nullptr, nullptr, description.number});
    if (!description.isOfTraining)
        return m_host.make(description);
    const CollectiveWatchdog::Call connecting(m_watchdog,
                                              fmt::format("connecting group {}", description.number));
    auto group = m_host.make(description);
    group->attachDevice(connect(*group, description.traffic), m_watchdog);
    return group;
}

std::unique_ptr<DeviceTransport> DeviceGroupMaker::connect(ProcessGroup& group, DeviceTraffic traffic)
{
    DeviceGroupId id{};
    if (group.isFirst())
        id = m_plugin.makeGroupId();
    group.broadcast(id);
    const Bytes before = freeMemory(m_plugin);
    std::unique_ptr<DeviceTransport> transport(
        m_plugin.makeTransport(id, group.rank().value, group.size().value, traffic));
    if (const Bytes after = freeMemory(m_plugin); after < before)
        m_memory.allocated(MemoryCategory::Communication, before - after);
    return transport;
}

} // namespace trainyard
