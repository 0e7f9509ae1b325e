#include "remote/agent/sampler/host_load.h"

#include <sstream>

#include "engine/base/file.h"
#include "remote/agent/host/machine.h"

namespace trainyard::agent {

namespace {

struct Ticks {
    std::uint64_t busy = 0;
    std::uint64_t total = 0;
};

/// First line of /proc/stat: user nice system idle iowait irq softirq steal.
Ticks processorTicks()
{
    const auto text = readFile("/proc/stat");
    std::istringstream fields(text.ok() ? *text : std::string());
    std::string label;
    fields >> label;
    Ticks ticks;
    std::uint64_t value = 0;
    for (int field = 0; field < 8 && fields >> value; ++field) {
        const bool idle = field == 3 || field == 4;
        ticks.total += value;
        ticks.busy += idle ? 0 : value;
    }
    return ticks;
}

} // namespace

HostMemory hostMemory()
{
    const auto text = readFile("/proc/meminfo");
    std::istringstream lines(text.ok() ? *text : std::string());
    HostMemory memory;
    std::string label;
    std::string unit;
    for (Bytes kibibytes = 0; lines >> label >> kibibytes && std::getline(lines, unit);) {
        if (label == "MemTotal:")
            memory.total = kibibytes * kKiB;
        if (label == "MemAvailable:")
            memory.available = kibibytes * kKiB;
    }
    return memory;
}

DeviceSample HostLoad::sample(const std::filesystem::path& folder)
{
    const HostMemory memory = hostMemory();
    const Ticks ticks = processorTicks();
    const std::uint64_t elapsed = ticks.total - m_total;
    DeviceSample sample;
    sample.device = -1;
    sample.memoryTotal = memory.total;
    sample.memoryUsed = memory.total - memory.available;
    sample.utilisation =
        elapsed > 0 ? static_cast<double>(ticks.busy - m_busy) / static_cast<double>(elapsed) : 0;
    const auto disk = diskSpace(folder);
    sample.diskFree = disk.ok() ? disk->free : 0;
    m_busy = ticks.busy;
    m_total = ticks.total;
    return sample;
}

} // namespace trainyard::agent
