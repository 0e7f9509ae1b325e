#include "remote/agent/sampler/host_load.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "engine/base/file.h"
#include "remote/agent/host/machine.h"

namespace trainyard::agent {

namespace {

struct Ticks {
    std::uint64_t busy = 0;
    std::uint64_t total = 0;
};

/// Of a small file of the kernel; empty when it cannot be read.
std::string firstWord(const std::filesystem::path& file)
{
    const auto text = readFile(file);
    std::istringstream words(text.ok() ? *text : std::string());
    std::string word;
    words >> word;
    return word;
}

/// A line of /proc/stat after its label: user nice system idle iowait irq softirq steal.
Ticks ticksIn(std::istream& fields)
{
    Ticks ticks;
    std::uint64_t value = 0;
    for (int field = 0; field < 8 && fields >> value; ++field) {
        const bool idle = field == 3 || field == 4;
        ticks.total += value;
        ticks.busy += idle ? 0 : value;
    }
    return ticks;
}

/// The first line: all processors together.
Ticks processorTicks()
{
    const auto text = readFile("/proc/stat");
    std::istringstream fields(text.ok() ? *text : std::string());
    std::string label;
    fields >> label;
    return ticksIn(fields);
}

/// Of the hottest sensor that the kernel knows as a processor's; nothing without one, as in most containers.
std::optional<double> processorCelsius()
{
    std::optional<double> hottest;
    std::error_code gone;
    const std::filesystem::directory_iterator end;
    for (std::filesystem::directory_iterator monitor("/sys/class/hwmon", gone); !gone && monitor != end;
         monitor.increment(gone)) {
        const std::string name = firstWord(monitor->path() / "name");
        if (name != "coretemp" && name != "k10temp" && name != "zenpower")
            continue;
        const std::string millidegrees = firstWord(monitor->path() / "temp1_input"); // the package
        if (millidegrees.empty())
            continue;
        const double celsius = std::strtod(millidegrees.c_str(), nullptr) / 1000;
        hottest = std::max(hottest.value_or(celsius), celsius);
    }
    return hottest;
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

std::uint64_t busyTicks()
{
    return processorTicks().busy;
}

std::optional<std::uint64_t> busyTicksOf(std::string_view stat, const std::vector<int>& processors)
{
    std::istringstream lines{std::string(stat)};
    std::set<std::string> wanted;
    for (const int processor : processors)
        wanted.insert("cpu" + std::to_string(processor));
    std::uint64_t busy = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string label;
        fields >> label;
        if (wanted.erase(label) > 0)
            busy += ticksIn(fields).busy;
    }
    return wanted.empty() ? std::optional(busy) : std::nullopt;
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
    sample.celsius = processorCelsius();
    m_busy = ticks.busy;
    m_total = ticks.total;
    return sample;
}

} // namespace trainyard::agent
