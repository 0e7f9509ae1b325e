#pragma once

#include <chrono>

#include "engine/comm/collective_watchdog.h"
#include "engine/device/device_group_maker.h"
#include "engine/device/event_timer.h"
#include "engine/device/gpu_plugin.h"
#include "engine/memory/device_accounting.h"
#include "engine/memory/memory_ledger.h"

namespace trainyard {

/// Everything that a rank needs to train on a device: groups that reach the other devices, a watchdog over
/// them, a ledger of the device's memory, and a timer of its work. Create on the training thread; must
/// outlive everything that uses it. From then on this thread's backward passes run on it alone, so that what
/// holds for the thread (memory categories, hooks, one thread per group) holds for them, as on the processor.
class DeviceSession {
public:
    /// `host` makes the groups of host memory. A collective that takes longer than `limit` is given up; a
    /// rank that comes later, after a checkpoint or a slow read, does not come.
    DeviceSession(const GpuPlugin& plugin, GroupMaker& host, CollectiveWatchdog::Verdict verdict,
                  std::chrono::milliseconds limit = std::chrono::minutes(10));

    Device device() const { return m_device; }
    GroupMaker& maker() { return m_maker; }
    MemoryLedger& memory() { return m_memory; }
    DeviceTimer& timer() { return m_timer; }

private:
    Device m_device;
    CollectiveWatchdog m_watchdog;
    MemoryLedger m_memory;
    DeviceGroupMaker m_maker;
    DeviceAccounting m_accounting;
    EventTimer m_timer;
};

} // namespace trainyard
