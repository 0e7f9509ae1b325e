#pragma once

#include "engine/comm/collective_watchdog.h"
#include "engine/device/device_group_maker.h"
#include "engine/device/gpu_plugin.h"
#include "engine/memory/device_accounting.h"
#include "engine/memory/memory_ledger.h"

namespace trainyard {

/// Everything that a rank needs to train on a device: groups that reach the other devices, a watchdog over
/// them, and a ledger of the device's memory. Create on the training thread; must outlive everything that
/// uses it. From then on this thread's backward passes run on it alone, so that what holds for the thread
/// (memory categories, hooks, one thread per group) holds for them, as on the processor.
class DeviceSession {
public:
    /// `host` makes the groups of host memory.
    DeviceSession(const GpuPlugin& plugin, GroupMaker& host, CollectiveWatchdog::Verdict verdict);

    Device device() const { return m_device; }
    GroupMaker& maker() { return m_maker; }
    MemoryLedger& memory() { return m_memory; }

private:
    Device m_device;
    CollectiveWatchdog m_watchdog;
    DeviceGroupMaker m_maker;
    MemoryLedger m_memory;
    DeviceAccounting m_accounting;
};

} // namespace trainyard
