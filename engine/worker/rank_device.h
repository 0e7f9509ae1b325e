#pragma once

#include <optional>

#include "engine/base/result.h"
#include "engine/comm/collective_watchdog.h"
#include "engine/device/gpu_plugin.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class FinalEventWriter;
class ProcessGroup;
class StepJournal;

/// What this rank computes on, and what rank 0 tells of all of them.
struct OpenedDevice {
    std::optional<GpuPlugin> plugin{}; ///< nothing where all ranks compute on the processor
    DevicesRecord record{};            ///< complete on rank 0
    bool isLoss = false;               ///< they do, although some rank sees a device
};

/// Opens the plug-in on this rank's device. Every rank gets the same error, and either all have a device or
/// none. Where launch.device "auto" leads to the processor, the reason is logged.
Result<OpenedDevice> openRankDevice(DeviceKind kind, ProcessGroup& world);

/// Writes the devices of all ranks and, where "auto" led to the processor, an event that says why.
void writeDevices(StepJournal& journal, const OpenedDevice& device);

/// The verdict on a device collective that failed or timed out: a rank or its host is lost. Its end() ends
/// this process with the status that says so; the supervisor then resumes the run.
CollectiveWatchdog::Verdict endOfRank(FinalEventWriter& finalEventWriter);

} // namespace trainyard
