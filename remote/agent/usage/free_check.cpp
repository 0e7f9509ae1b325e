#include "remote/agent/usage/free_check.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "remote/agent/host/machine.h"
#include "remote/agent/sampler/gpu_instances.h"

namespace trainyard::agent {

namespace {

constexpr double kNamedCores = 0.5; ///< whoever uses as many is named
// Some load is on every machine: without this a run on all cores would wait for ever beside a daemon.
constexpr double kSpareCores = 0.5; ///< that others may use
constexpr double kSpareShare = 0.1; ///< the same, of the cores that are needed

bool computesOnDevices(const NodeNeed& need, std::size_t devices)
{
    return need.device != DeviceKind::Cpu && devices >= static_cast<std::size_t>(need.ranks);
}

/// "gpu 1", or of an instance "gpu 1 (MIG 3g.20gb)".
std::string nameOf(const GpuFacts& device)
{
    return device.profile.empty() ? fmt::format("gpu {}", device.index)
                                  : fmt::format("gpu {} (MIG {})", device.index, device.profile);
}

std::string busyDevices(const NodeNeed& need, const std::vector<GpuFacts>& devices,
                        const std::vector<DeviceUser>& users)
{
    std::vector<std::string> busy;
    for (const GpuFacts& device : devices) {
        if (const std::string user = userOf(device, users); !user.empty())
            busy.push_back(fmt::format("{} is used by {}", nameOf(device), user));
    }
    const std::size_t free = devices.size() - busy.size();
    if (free >= static_cast<std::size_t>(need.ranks))
        return {};
    return fmt::format("{} of {} GPUs are free and {} are needed: {}", free, devices.size(), need.ranks,
                       fmt::join(busy, ", "));
}

std::string usersOfCores(const std::vector<Occupant>& occupants)
{
    std::vector<std::string> users;
    for (const Occupant& occupant : occupants) {
        if (occupant.cores >= kNamedCores)
            users.push_back(textOf(occupant));
    }
    return users.empty() ? "many small processes use the others" : fmt::format("{}", fmt::join(users, ", "));
}

std::string busyCores(const NodeNeed& need, int cores, const MachineUsage& usage)
{
    const int needed = std::min(cores, need.ranks * need.threadsPerRank);
    const double free = cores - usage.busyCores;
    if (free >= needed - std::max(kSpareCores, kSpareShare * needed))
        return {};
    return fmt::format("{:.1f} of {} cores are free and {} are needed: {}", std::max(0.0, free), cores,
                       needed, usersOfCores(usage.occupants));
}

} // namespace

std::string whyNotFree(const NodeNeed& need, int cores, const std::vector<GpuFacts>& gpus,
                       const MachineUsage& usage)
{
    const std::vector<GpuFacts> devices = devicesNamed(need.devices, computeDevices(gpus));
    if (computesOnDevices(need, devices.size()))
        return busyDevices(need, devices, usage.devices);
    return need.device == DeviceKind::Cuda ? std::string() : busyCores(need, cores, usage);
}

Status checkFree(const NodeNeed& need, const std::string& run)
{
    const UsageMeter meter;
    const auto gpus = queryGpus();
    const std::string reason =
        whyNotFree(need, usableCores(), gpus.ok() ? *gpus : std::vector<GpuFacts>(), meter.read(run));
    return reason.empty() ? Status() : refused(reason);
}

} // namespace trainyard::agent
