#include "engine/worker/rank_device.h"

#include "engine/comm/agreement.h"
#include "engine/comm/mpi_process.h"
#include "engine/comm/process_group.h"
#include "engine/device/device_choice.h"
#include "engine/worker/final_event_writer.h"
#include "engine/worker/rank_log.h"

namespace trainyard {

Result<std::optional<GpuPlugin>> openRankDevice(DeviceKind kind, ProcessGroup& world)
{
    TRAINYARD_TRY(const std::string device, chooseDevice(kind, world));
    if (device.empty())
        return std::optional<GpuPlugin>();
    auto plugin = GpuPlugin::open(device);
    const Status agreed = agree(world, plugin.ok() ? Status() : plugin.error());
    if (agreed.ok())
        return std::optional(std::move(plugin).value());
    if (kind == DeviceKind::Cuda)
        return agreed.error();
    logLine(agreed.error().text());
    return std::optional<GpuPlugin>();
}

CollectiveWatchdog::Verdict endOfRank(FinalEventWriter& finalEventWriter)
{
    return {[&finalEventWriter](const std::string& what) {
                finalEventWriter.beginEnd("collective-failed", what);
            },
            [] { MpiProcess::abort(exitStatus(ErrorKind::Unreachable)); }};
}

} // namespace trainyard
