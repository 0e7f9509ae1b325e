#include "engine/worker/rank_device.h"

#include "engine/comm/agreement.h"
#include "engine/comm/mpi_process.h"
#include "engine/comm/process_group.h"
#include "engine/device/device_choice.h"
#include "engine/records/wire.h"
#include "engine/training/step_journal.h"
#include "engine/worker/final_event_writer.h"
#include "engine/worker/rank_log.h"

namespace trainyard {

namespace {

std::string encode(const RankDevice& device)
{
    std::string bytes;
    WireWriter out(bytes);
    out.text(device.device);
    out.text(device.name);
    out.number(device.memory);
    return bytes;
}

RankDevice decode(const std::string& bytes)
{
    WireReader in(bytes);
    RankDevice device;
    device.device = in.text();
    device.name = in.text();
    device.memory = in.number<Bytes>();
    return device;
}

/// Complete on rank 0.
std::vector<RankDevice> devicesOfAll(const OfferedDevice& chosen, const GpuPlugin& plugin,
                                     ProcessGroup& world)
{
    RankDevice mine{chosen.identity, {}, 0};
    if (const auto traits = plugin.traits(); traits.ok()) {
        mine.name = traits->name;
        mine.memory = traits->memory;
    }
    std::vector<RankDevice> all;
    for (const std::string& bytes : world.gather(encode(mine)))
        all.push_back(decode(bytes));
    return all;
}

OpenedDevice onProcessor(std::string why, bool isLoss)
{
    if (!why.empty())
        logLine("ranks compute on the processor: " + why);
    return {std::nullopt, {std::move(why), {}}, isLoss};
}

} // namespace

Result<OpenedDevice> openRankDevice(DeviceKind kind, ProcessGroup& world)
{
    TRAINYARD_TRY(const DeviceAssignment assigned, agreeOnDevices(kind, world));
    if (assigned.devices.empty())
        return onProcessor(assigned.whyProcessor, assigned.isLoss);
    const OfferedDevice& chosen = assigned.devices[static_cast<std::size_t>(world.rank().value)];
    auto plugin = GpuPlugin::open(chosen.name);
    const Status agreed = agree(world, plugin.ok() ? Status() : plugin.error());
    if (!agreed.ok() && kind == DeviceKind::Cuda)
        return agreed.error();
    if (!agreed.ok())
        return onProcessor(agreed.error().text(), true);
    std::vector<RankDevice> all = devicesOfAll(chosen, *plugin, world);
    return OpenedDevice{std::move(plugin).value(), {{}, std::move(all)}};
}

void writeDevices(StepJournal& journal, const OpenedDevice& device)
{
    if (device.record != DevicesRecord())
        journal.write(device.record);
    if (!device.record.whyProcessor.empty())
        journal.event(device.isLoss ? Severity::Warning : Severity::Info, "computes-on-processor",
                      "ranks compute on the processor: " + device.record.whyProcessor);
}

CollectiveWatchdog::Verdict endOfRank(FinalEventWriter& finalEventWriter)
{
    return {[&finalEventWriter](const std::string& what) {
                finalEventWriter.beginEnd("collective-failed", what);
            },
            [] { MpiProcess::abort(exitStatus(ErrorKind::Unreachable)); }};
}

} // namespace trainyard
