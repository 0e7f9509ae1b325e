#pragma once

#include <memory>
#include <optional>

#include "engine/comm/process_group.h"
#include "engine/device/device_session.h"
#include "engine/device/gpu_plugin.h"

namespace trainyard {

struct RankOptions {
    bool emulates = false;  ///< on tests/support/device in place of CUDA: tries the checks themselves
    bool sharesGpu = false; ///< all ranks of the machine compute on its first GPU
};

/// A rank with its device as the worker has it: one alone, or one of an MPI job.
class CheckRank {
public:
    /// Refused, with the reason, where there is no CUDA device for this rank. Once per process.
    static Result<std::unique_ptr<CheckRank>> open(const RankOptions& options);

    GroupMaker& host() { return *m_host; }
    ProcessGroup& world() { return *m_world; } ///< of host memory
    bool isFirst() const { return m_world->isFirst(); }
    const GpuPlugin* plugin() const { return m_plugin ? &*m_plugin : nullptr; } ///< null: emulated
    Device device() const;
    /// Makes groups that reach the other devices.
    GroupMaker& maker();
    MemoryLedger* memory() { return m_session ? &m_session->memory() : nullptr; } ///< null: emulated
    /// Free memory of the device; 0 where it does not answer or is emulated.
    Bytes freeMemory() const;

private:
    CheckRank() = default;

    std::unique_ptr<GroupMaker> m_host;
    std::unique_ptr<ProcessGroup> m_world;
    std::optional<GpuPlugin> m_plugin;
    std::optional<DeviceSession> m_session;
};

/// Refused, with the reason, where a rank alone would find no CUDA device. Starts nothing.
Status findDevice();

/// Lets ranks of one machine share its first GPU. NCCL refuses two ranks with one bus id on one host, so each
/// says it is a host of its own; their messages take the loopback interface. Before CUDA starts.
void shareFirstGpu(int rank);

} // namespace trainyard
