#include "tests/gpu/check/check_rank.h"

#include <cstdlib>
#include <dlfcn.h>

#include <fmt/format.h>

#include "engine/comm/agreement.h"
#include "engine/comm/mpi_process.h"
#include "engine/device/cuda/cuda_plugin.h"
#include "engine/device/device_choice.h"
#include "engine/device/host_devices.h"
#include "tests/gpu/check/alone_maker.h"
#include "tests/support/device/emulated_device.h"

namespace trainyard {

namespace {

/// Not all systems that have the driver show /dev/nvidia0.
bool hasDriver()
{
    return ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

Result<std::string> deviceOf(int rank, const RankOptions& options)
{
    const char* const named = std::getenv("CUDA_VISIBLE_DEVICES");
    std::vector<OfferedDevice> devices = visibleDevices(named, hostDevices());
    if (devices.empty() && !named && hasDriver())
        devices = {{"0", "0"}};
    if (devices.empty())
        return refused(named ? fmt::format("no CUDA device: CUDA_VISIBLE_DEVICES is \"{}\"", named)
                             : std::string("no CUDA device: no /dev/nvidia0 and no libcuda.so.1"));
    if (!GpuPlugin::isInstalled())
        return refused(fmt::format("no {} beside this program", kCudaPluginFile),
                       "build with -DTRAINYARD_WITH_CUDA=ON");
    const auto place = options.sharesGpu ? 0 : static_cast<std::size_t>(rank);
    if (place >= devices.size())
        return refused(fmt::format("no CUDA device for rank {}: this machine has {}", rank, devices.size()),
                       "start fewer ranks, or use --share-gpu");
    return devices[place].name;
}

Result<std::unique_ptr<GroupMaker>> startHost()
{
    if (!MpiProcess::isLaunched())
        return std::unique_ptr<GroupMaker>(std::make_unique<AloneMaker>());
    TRAINYARD_TRY(auto process, MpiProcess::start());
    return std::unique_ptr<GroupMaker>(std::move(process));
}

CollectiveWatchdog::Verdict endOfCheck()
{
    return {[](const std::string& what) { fmt::print(stderr, "collective failed: {}\n", what); },
            [] { MpiProcess::abort(exitStatus(ErrorKind::Unreachable)); }};
}

} // namespace

Status findDevice()
{
    const auto device = deviceOf(0, {});
    return device.ok() ? Status() : device.error();
}

void shareFirstGpu(int rank)
{
    ::setenv("NCCL_HOSTID", fmt::format("rank-{}", rank).c_str(), 1);
    ::setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    ::setenv("NCCL_IB_DISABLE", "1", 1);
    ::setenv("NCCL_MNNVL_ENABLE", "0", 1);
}

Result<std::unique_ptr<CheckRank>> CheckRank::open(const RankOptions& options)
{
    std::unique_ptr<CheckRank> rank(new CheckRank);
    TRAINYARD_TRY(rank->m_host, startHost());
    rank->m_world = rank->m_host->makeWorld();
    const int number = rank->m_world->rank().value;
    if (options.emulates)
        return rank;
    const auto device = deviceOf(number, options);
    TRAINYARD_TRY_STATUS(agree(*rank->m_world, device.ok() ? Status() : device.error()));
    if (options.sharesGpu)
        shareFirstGpu(number);
    auto plugin = GpuPlugin::open(*device);
    TRAINYARD_TRY_STATUS(
        agree(*rank->m_world, plugin.ok() ? Status() : failed(plugin.error().message, plugin.error().hint)));
    rank->m_plugin = *plugin;
    rank->m_session.emplace(*plugin, *rank->m_host, endOfCheck());
    return rank;
}

Device CheckRank::device() const
{
    return m_session ? m_session->device() : emulatedDevice();
}

GroupMaker& CheckRank::maker()
{
    if (m_session)
        return m_session->maker();
    return *m_host;
}

Bytes CheckRank::freeMemory() const
{
    Bytes free = 0, total = 0;
    return m_plugin && m_plugin->functions().deviceMemory(0, &free, &total) ? free : 0;
}

} // namespace trainyard
