#include "engine/device/device_choice.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/host_name.h"
#include "engine/comm/process_group.h"
#include "engine/device/gpu_plugin.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDeviceFile = "nvidia";

/// CUDA takes indices and the names of GPUs and of their parts.
bool namesADevice(const std::string& entry)
{
    const bool isIndex =
        !entry.empty() && std::ranges::all_of(entry, [](unsigned char c) { return std::isdigit(c); });
    return isIndex || entry.starts_with("GPU-") || entry.starts_with("MIG-");
}

std::vector<std::string> named(const char* visible)
{
    std::vector<std::string> devices;
    std::istringstream list(visible);
    for (std::string entry; std::getline(list, entry, ',') && namesADevice(entry);)
        devices.push_back(entry);
    return devices;
}

/// nvidia0, nvidia1, ...: CUDA numbers as many from 0, whatever the files are called.
std::vector<std::string> counted(const fs::path& folder)
{
    std::vector<std::string> devices;
    std::error_code error;
    for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
        const std::string name = file.path().filename();
        if (name.starts_with(kDeviceFile) && namesADevice(name.substr(kDeviceFile.size())))
            devices.push_back(std::to_string(devices.size()));
    }
    return devices;
}

std::string encode(const DeviceOffer& offer)
{
    std::string bytes;
    WireWriter out(bytes);
    out.text(offer.host);
    out.number(static_cast<std::uint8_t>(offer.hasPlugin));
    out.number(static_cast<std::uint32_t>(offer.devices.size()));
    for (const std::string& device : offer.devices)
        out.text(device);
    return bytes;
}

DeviceOffer decode(WireReader& in)
{
    DeviceOffer offer;
    offer.host = in.text();
    offer.hasPlugin = in.number<std::uint8_t>() != 0;
    offer.devices.resize(in.number<std::uint32_t>());
    for (std::string& device : offer.devices)
        device = in.text();
    return offer;
}

std::vector<DeviceOffer> offersOfAll(ProcessGroup& world)
{
    const std::string mine =
        encode({hostName(), visibleDevices(std::getenv("CUDA_VISIBLE_DEVICES")), GpuPlugin::isInstalled()});
    std::string all;
    for (const std::string& offer : world.gather(mine))
        all += offer;
    // Every rank decides from the same offers, so all refuse or choose alike.
    all = world.broadcastText(std::move(all));
    WireReader in(all);
    std::vector<DeviceOffer> offers;
    for (int rank = 0; rank < world.size().value; ++rank)
        offers.push_back(decode(in));
    return offers;
}

Error tooFew(const DeviceOffer& offer, std::size_t rank, std::size_t ranksBefore)
{
    if (offer.devices.empty())
        return refused(fmt::format("launch.device: {} has no CUDA device for rank {}", offer.host, rank),
                       "set launch.device to \"cpu\" or \"auto\", or use a host with a GPU");
    const std::size_t ranks = ranksBefore + 1;
    return refused(fmt::format("launch.device: rank {} would be number {} on {}, which has {} CUDA device{}",
                               rank, ranks, offer.host, offer.devices.size(),
                               offer.devices.size() == 1 ? "" : "s"),
                   fmt::format("give the host {} slots in cluster.nodes, or set launch.device to \"cpu\"",
                               offer.devices.size()));
}

} // namespace

std::vector<std::string> visibleDevices(const char* visible, const fs::path& devices)
{
    return visible ? named(visible) : counted(devices);
}

Result<std::vector<std::string>> assignDevices(DeviceKind kind, const std::vector<DeviceOffer>& offers)
{
    std::vector<std::string> assigned;
    std::map<std::string, std::size_t> ranksOnHost;
    for (std::size_t rank = 0; rank < offers.size() && kind != DeviceKind::Cpu; ++rank) {
        const DeviceOffer& offer = offers[rank];
        const std::size_t place = ranksOnHost[offer.host]++;
        const bool fits = place < offer.devices.size();
        if (fits && offer.hasPlugin) {
            assigned.push_back(offer.devices[place]);
            continue;
        }
        // All or none: one rank on its processor would hold up the others at every step.
        if (kind == DeviceKind::Auto)
            return std::vector<std::string>();
        if (!fits)
            return tooFew(offer, rank, place);
        return refused(
            fmt::format("launch.device: the engine on {} was built without CUDA", offer.host),
            "deploy a bundle that was built with TRAINYARD_WITH_CUDA, or set launch.device to \"cpu\"");
    }
    return assigned;
}

Result<std::string> chooseDevice(DeviceKind kind, ProcessGroup& world)
{
    TRAINYARD_TRY(const auto assigned, assignDevices(kind, offersOfAll(world)));
    return assigned.empty() ? std::string() : assigned[static_cast<std::size_t>(world.rank().value)];
}

} // namespace trainyard
