#include "remote/agent/usage/device_claim.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/host_name.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/sampler/gpu_instances.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kLockPatience{10};

std::vector<std::string> first(std::vector<std::string> devices, std::size_t count)
{
    devices.resize(std::min(devices.size(), count));
    return devices;
}

std::vector<std::string> freeOnes(const std::vector<GpuFacts>& devices, const std::vector<DeviceUser>& users)
{
    std::vector<std::string> free;
    for (const GpuFacts& device : devices) {
        if (userOf(device, users).empty())
            free.push_back(device.uuid);
    }
    return free;
}

std::vector<std::string> uuidsOf(const std::vector<GpuFacts>& devices)
{
    std::vector<std::string> uuids;
    for (const GpuFacts& device : devices)
        uuids.push_back(device.uuid);
    return uuids;
}

/// One instance of each GPU before a second one: NCCL does not connect two of one GPU.
std::vector<GpuFacts> spreadOverGpus(const std::vector<GpuFacts>& devices)
{
    std::map<int, int> seen;
    std::vector<std::pair<int, GpuFacts>> numbered;
    for (const GpuFacts& device : devices)
        numbered.emplace_back(seen[device.index]++, device);
    std::ranges::stable_sort(numbered, {}, &std::pair<int, GpuFacts>::first);
    std::vector<GpuFacts> spread;
    for (auto& [number, device] : numbered)
        spread.push_back(std::move(device));
    return spread;
}

/// True where CUDA finds these by itself, which shows a process one instance of each GPU at most.
bool areUsual(const std::vector<std::string>& chosen, const DeviceNeed& need,
              const std::vector<GpuFacts>& gpus)
{
    const bool whole = std::ranges::none_of(gpus, &GpuFacts::mig);
    return need.devices.empty() && whole && chosen == first(uuidsOf(gpus), chosen.size());
}

} // namespace

Result<DeviceChoice> chooseDevices(const DeviceNeed& need, const std::vector<GpuFacts>& gpus,
                                   const std::vector<DeviceUser>& users)
{
    const auto count = static_cast<std::size_t>(need.ranks);
    const bool named = !need.devices.empty();
    const auto all = computeDevices(gpus);
    const auto devices = named ? devicesNamed(need.devices, all) : spreadOverGpus(all);
    const bool known = std::ranges::none_of(devices, [](const GpuFacts& device) {
        return device.uuid.empty() || (device.mig && device.profile.empty());
    });
    if (named && (devices.size() < count || !known))
        return refused(fmt::format("{} has {} of the devices {}, and {} ranks need one each", hostName(),
                                   devices.size(), fmt::join(need.devices, ", "), need.ranks),
                       "correct cluster.nodes[].devices: `nvidia-smi -L` lists what there is");
    if (devices.size() < count || !known)
        return DeviceChoice();
    const std::vector<std::string> free = freeOnes(devices, users);
    const std::vector<std::string> chosen = first(free.size() < count ? uuidsOf(devices) : free, count);
    return DeviceChoice{chosen, areUsual(chosen, need, gpus)};
}

Result<DeviceClaim> DeviceClaim::take(const std::filesystem::path& root, const std::string& run,
                                      const DeviceNeed& need)
{
    DeviceClaim claim;
    if (need.devices.empty() && std::getenv("CUDA_VISIBLE_DEVICES"))
        return claim;
    const auto gpus = queryGpus();
    if (!gpus.ok() || gpus->empty()) {
        claim.m_choice = {first(need.devices, static_cast<std::size_t>(need.ranks)), false};
        return claim;
    }
    if (auto lock = LockFile::acquire(root / "devices.lock", kLockPatience); lock.ok())
        claim.m_lock.emplace(std::move(lock).value());
    TRAINYARD_TRY(claim.m_choice, chooseDevices(need, *gpus, deviceUsers(processLoads(), run)));
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
