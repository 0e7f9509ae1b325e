#include "engine/device/device_group_maker.h"

#include "engine/comm/local_transport.h"
#include "engine/comm/process_group.h"
#include "engine/device/cuda/cuda_plugin.h"

namespace trainyard {

std::unique_ptr<ProcessGroup> DeviceGroupMaker::make(const GroupDescription& description)
{
    if (description.members.size() == 1)
        return std::make_unique<ProcessGroup>(
            ProcessGroup::Parts{std::make_unique<LocalTransport>(), nullptr, nullptr, description.number});
    auto group = m_host.make(description);
    if (!description.isOfTraining)
        return group;
    DeviceGroupId id{};
    if (group->isFirst())
        id = m_plugin.makeGroupId();
    group->broadcast(id);
    std::unique_ptr<DeviceTransport> transport(
        m_plugin.makeTransport(id, group->rank().value, group->size().value));
    group->attachDevice(std::move(transport), m_watchdog);
    return group;
}

} // namespace trainyard
