#include "remote/agent/usage/device_claim.h"

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kLockPatience{10};

} // namespace

DeviceChoice chooseDevices(int ranks, const std::vector<GpuFacts>& gpus, const std::vector<DeviceUser>& users)
{
    const auto count = static_cast<std::size_t>(ranks);
    DeviceChoice usual;
    std::vector<std::string> free;
    for (const GpuFacts& gpu : gpus) {
        if (gpu.mig || gpu.uuid.empty())
            return {};
        if (usual.devices.size() < count)
            usual.devices.push_back(gpu.uuid);
        if (free.size() < count && userOf(gpu, users).empty())
            free.push_back(gpu.uuid);
    }
    if (usual.devices.size() < count)
        return {};
    return free.size() < count || free == usual.devices ? usual : DeviceChoice{free, false};
}

DeviceClaim DeviceClaim::take(const std::filesystem::path& root, const std::string& run, int ranks)
{
    DeviceClaim claim;
    if (std::getenv("CUDA_VISIBLE_DEVICES"))
        return claim;
    const auto gpus = queryGpus();
    if (!gpus.ok() || gpus->empty())
        return claim;
    if (auto lock = LockFile::acquire(root / "devices.lock", kLockPatience); lock.ok())
        claim.m_lock.emplace(std::move(lock).value());
    claim.m_choice = chooseDevices(ranks, *gpus, deviceUsers(processLoads(), run));
    return claim;
}

Environment DeviceClaim::environment() const
{
    if (m_choice.devices.empty())
        return {};
    const std::string list = fmt::format("{}", fmt::join(m_choice.devices, ","));
    Environment entries{std::string(RunFolder::kDevicesVariable) + '=' + list};
    if (!m_choice.isUsual)
        entries.push_back("CUDA_VISIBLE_DEVICES=" + list);
    return entries;
}

} // namespace trainyard::agent
