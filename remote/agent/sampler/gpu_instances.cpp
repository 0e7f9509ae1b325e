#include "remote/agent/sampler/gpu_instances.h"

#include <algorithm>
#include <sstream>

#include "engine/base/parsed_number.h"

namespace trainyard::agent {

namespace {

GpuFacts* gpuWith(int index, std::vector<GpuFacts>& gpus)
{
    const auto found = std::ranges::find(gpus, index, &GpuFacts::index);
    return found == gpus.end() ? nullptr : &*found;
}

/// "GPU 0: NVIDIA A100 (UUID: GPU-...)".
std::optional<int> gpuIndexIn(const std::string& line)
{
    const auto colon = line.find(':');
    if (!line.starts_with("GPU ") || colon == std::string::npos)
        return std::nullopt;
    return parsedNumber<int>(std::string_view(line).substr(4, colon - 4));
}

std::string between(std::string_view text, std::string_view before, std::string_view after)
{
    const auto start = text.find(before);
    if (start == std::string_view::npos)
        return {};
    const auto rest = text.substr(start + before.size());
    return std::string(rest.substr(0, rest.find(after)));
}

/// Of "3g.20gb" or "1g.10gb+me", in GB.
Bytes memoryOfProfile(const std::string& profile)
{
    const std::string size = between(profile, "g.", "gb");
    return parsedNumber<Bytes>(size).value_or(0) * 1'000'000'000;
}

/// "  MIG 3g.20gb     Device  0: (UUID: MIG-...)".
std::optional<GpuInstance> instanceIn(const std::string& line)
{
    std::istringstream words(line);
    std::string first;
    GpuInstance instance;
    words >> first >> instance.profile;
    instance.uuid = between(line, "(UUID: ", ")");
    if (first != "MIG" || !instance.uuid.starts_with("MIG-"))
        return std::nullopt;
    instance.memoryTotal = memoryOfProfile(instance.profile);
    return instance;
}

/// "19968 MiB".
Bytes sizeIn(const std::string& text)
{
    return parsedNumber<Bytes>(std::string_view(text).substr(0, text.find(' '))).value_or(0) * kMiB;
}

/// The parts of the text that begin with `tag`.
std::vector<std::string_view> parts(std::string_view text, std::string_view tag)
{
    std::vector<std::string_view> parts;
    for (auto at = text.find(tag); at != std::string_view::npos;) {
        const auto next = text.find(tag, at + tag.size());
        parts.push_back(text.substr(at, next - at));
        at = next;
    }
    return parts;
}

void setMemory(std::string_view gpuXml, GpuFacts& gpu)
{
    const auto found = parts(gpuXml, "<mig_device>");
    for (std::size_t i = 0; i < std::min(found.size(), gpu.instances.size()); ++i) {
        const std::string memory = between(found[i], "<fb_memory_usage>", "</fb_memory_usage>");
        const Bytes total = sizeIn(between(memory, "<total>", "<"));
        if (total == 0)
            continue;
        gpu.instances[i].memoryTotal = total;
        gpu.instances[i].memoryUsed = sizeIn(between(memory, "<used>", "<"));
    }
}

GpuFacts asDevice(const GpuFacts& gpu, const GpuInstance& instance)
{
    GpuFacts device = gpu;
    device.name += " MIG " + instance.profile;
    device.profile = instance.profile;
    device.uuid = instance.uuid;
    device.memoryTotal = instance.memoryTotal;
    device.memoryUsed = instance.memoryUsed;
    device.utilisation = 0; // nobody measures that of an instance
    device.instances.clear();
    return device;
}

bool isNamed(const GpuFacts& device, const std::string& name)
{
    const auto index = parsedNumber<int>(name);
    return index ? device.index == *index : device.uuid.starts_with(name);
}

} // namespace

void addInstances(std::string_view list, std::vector<GpuFacts>& gpus)
{
    std::istringstream lines{std::string(list)};
    GpuFacts* gpu = nullptr;
    for (std::string line; std::getline(lines, line);) {
        if (const auto index = gpuIndexIn(line))
            gpu = gpuWith(*index, gpus);
        auto instance = instanceIn(line);
        if (gpu && instance)
            gpu->instances.push_back(std::move(*instance));
    }
}

void addInstanceMemory(std::string_view xml, std::vector<GpuFacts>& gpus)
{
    for (const std::string_view part : parts(xml, "<gpu id=")) {
        const auto gpu = std::ranges::find(gpus, between(part, "<uuid>", "<"), &GpuFacts::uuid);
        if (gpu != gpus.end())
            setMemory(part, *gpu);
    }
}

std::vector<GpuFacts> computeDevices(const std::vector<GpuFacts>& gpus)
{
    std::vector<GpuFacts> devices;
    for (const GpuFacts& gpu : gpus) {
        if (gpu.instances.empty())
            devices.push_back(gpu);
        for (const GpuInstance& instance : gpu.instances)
            devices.push_back(asDevice(gpu, instance));
    }
    return devices;
}

std::vector<GpuFacts> devicesNamed(const std::vector<std::string>& names,
                                   const std::vector<GpuFacts>& computeDevices)
{
    if (names.empty())
        return computeDevices;
    std::vector<GpuFacts> devices;
    for (const std::string& name : names) {
        for (const GpuFacts& device : computeDevices) {
            const bool isNew = std::ranges::find(devices, device.uuid, &GpuFacts::uuid) == devices.end();
            if (isNamed(device, name) && isNew)
                devices.push_back(device);
        }
    }
    return devices;
}

} // namespace trainyard::agent
