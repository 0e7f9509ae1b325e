#pragma once

#include <optional>

#include "engine/base/result.h"
#include "engine/comm/collective_watchdog.h"
#include "engine/device/gpu_plugin.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class FinalEventWriter;
class ProcessGroup;

/// The plug-in on this rank's device; nothing where all ranks compute on the processor. Every rank gets the
/// same error, and either all have a device or none.
Result<std::optional<GpuPlugin>> openRankDevice(DeviceKind kind, ProcessGroup& world);

/// The verdict on a device collective that failed or timed out: a rank or its host is lost. Its end() ends
/// this process with the status that says so; the supervisor then resumes the run.
CollectiveWatchdog::Verdict endOfRank(FinalEventWriter& finalEventWriter);

} // namespace trainyard
