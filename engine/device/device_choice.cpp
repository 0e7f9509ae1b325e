#include "engine/device/device_choice.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/counted.h"
#include "engine/base/host_name.h"
#include "engine/comm/process_group.h"
#include "engine/device/device_matching.h"
#include "engine/device/gpu_plugin.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace {

constexpr std::size_t kNamedHosts = 3;
constexpr std::size_t kNamedRanks = 4; ///< of a host

std::string encode(const DeviceOffer& offer)
{
    std::string bytes;
    WireWriter out(bytes);
    out.text(offer.host);
    out.number(static_cast<std::uint8_t>(offer.hasPlugin));
    out.number(static_cast<std::uint32_t>(offer.devices.size()));
    for (const OfferedDevice& device : offer.devices) {
        out.text(device.name);
        out.text(device.identity);
    }
    return bytes;
}

DeviceOffer decode(WireReader& in)
{
    DeviceOffer offer;
    offer.host = in.text();
    offer.hasPlugin = in.number<std::uint8_t>() != 0;
    offer.devices.resize(in.number<std::uint32_t>());
    for (OfferedDevice& device : offer.devices) {
        device.name = in.text();
        device.identity = in.text();
    }
    return offer;
}

std::vector<DeviceOffer> offersOfAll(ProcessGroup& world)
{
    const auto visible = visibleDevices(std::getenv("CUDA_VISIBLE_DEVICES"), hostDevices());
    std::string all;
    for (const std::string& offer : world.gather(encode({hostName(), visible, GpuPlugin::isInstalled()})))
        all += offer;
    // Every rank decides from the same offers, so all refuse or choose alike.
    all = world.broadcastText(std::move(all));
    WireReader in(all);
    std::vector<DeviceOffer> offers;
    for (int rank = 0; rank < world.size().value; ++rank)
        offers.push_back(decode(in));
    return offers;
}

/// What is wrong, and what to do when devices are demanded.
struct Lack {
    std::string what;
    std::string hint;
};

std::string ranksText(const std::vector<std::size_t>& ranks)
{
    if (ranks.size() > kNamedRanks)
        return counted(ranks.size(), "rank");
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

/// "gpu-04 (ranks 1, 2), gpu-05 (8 ranks), and 2 more hosts": the ranks that see no device.
std::string hostsWithoutDevice(const std::vector<DeviceOffer>& offers)
{
    std::vector<std::string> hosts; // in order of rank
    std::map<std::string, std::vector<std::size_t>> ranks;
    for (std::size_t rank = 0; rank < offers.size(); ++rank) {
        if (!offers[rank].devices.empty())
            continue;
        if (!ranks.contains(offers[rank].host))
            hosts.push_back(offers[rank].host);
        ranks[offers[rank].host].push_back(rank);
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min(hosts.size(), kNamedHosts); ++i)
        texts.push_back(fmt::format("{} ({})", hosts[i], ranksText(ranks[hosts[i]])));
    if (hosts.size() > kNamedHosts)
        texts.push_back("and " + counted(hosts.size() - kNamedHosts, "more host"));
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// Some ranks see no device at all.
std::optional<Lack> withoutDevice(const std::vector<DeviceOffer>& offers)
{
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(offers, [](const DeviceOffer& offer) { return offer.devices.empty(); }));
    if (count == 0)
        return std::nullopt;
    const std::string what = count == offers.size()
                                 ? "no rank sees a CUDA device on "
                                 : fmt::format("{} of {} ranks see no CUDA device: ", count, offers.size());
    return Lack{what + hostsWithoutDevice(offers),
                "set launch.device to \"cpu\" or \"auto\", or use a host with a GPU"};
}

/// Of a rank that finds all that it sees taken.
Lack tooFew(const DeviceOffer& offer, std::size_t rank, std::size_t ranksBefore, std::size_t devices)
{
    const std::string seen = counted(devices, "CUDA device");
    if (offer.devices.size() == devices)
        return {
            fmt::format("rank {} would be number {} on {}, which has {}", rank, ranksBefore + 1, offer.host,
                        seen),
            fmt::format("give the host {} slots in cluster.nodes, or set launch.device to \"cpu\"", devices)};
    return {fmt::format("rank {} on {} sees only {} (CUDA_VISIBLE_DEVICES {}), used by other ranks there",
                        rank, offer.host, counted(offer.devices.size(), "CUDA device"),
                        offer.devices.front().name),
            "let the scheduler give every rank a device of its own (Slurm: --gpus-per-task=1), or set "
            "launch.device to \"cpu\""};
}

std::optional<Lack> withoutPlugin(const std::vector<DeviceOffer>& offers)
{
    const auto found =
        std::ranges::find_if(offers, [](const DeviceOffer& offer) { return !offer.hasPlugin; });
    if (found == offers.end())
        return std::nullopt;
    return Lack{fmt::format("the engine on {} was built without CUDA", found->host),
                "deploy a bundle that was built with TRAINYARD_WITH_CUDA, or set launch.device to \"cpu\""};
}

/// Fills in the device of each rank, as far as there are any.
std::optional<Lack> match(const std::vector<DeviceOffer>& offers, std::vector<OfferedDevice>& devices)
{
    std::map<std::string, DeviceMatching> hosts;
    std::vector<std::size_t> placeOnHost;
    for (std::size_t rank = 0; rank < offers.size(); ++rank) {
        DeviceMatching& host = hosts[offers[rank].host];
        placeOnHost.push_back(host.ranks());
        if (!host.add(offers[rank].devices))
            return tooFew(offers[rank], rank, host.ranks(), host.devices());
    }
    for (std::size_t rank = 0; rank < offers.size(); ++rank)
        devices.push_back(offers[rank].devices[hosts[offers[rank].host].placeOf(placeOnHost[rank])]);
    return std::nullopt;
}

} // namespace

Result<DeviceAssignment> assignDevices(DeviceKind kind, const std::vector<DeviceOffer>& offers)
{
    DeviceAssignment assignment;
    if (kind == DeviceKind::Cpu)
        return assignment;
    auto lack = withoutDevice(offers);
    if (!lack)
        lack = match(offers, assignment.devices);
    if (!lack)
        lack = withoutPlugin(offers);
    if (!lack)
        return assignment;
    if (kind == DeviceKind::Cuda)
        return refused("launch.device: " + lack->what, lack->hint);
    const bool anySeen = std::ranges::any_of(offers, [](const DeviceOffer& o) { return !o.devices.empty(); });
    return DeviceAssignment{{}, lack->what, anySeen};
}

Result<DeviceAssignment> agreeOnDevices(DeviceKind kind, ProcessGroup& world)
{
    return assignDevices(kind, offersOfAll(world));
}

Result<std::string> chooseDevice(DeviceKind kind, ProcessGroup& world)
{
    TRAINYARD_TRY(const auto assigned, agreeOnDevices(kind, world));
    return assigned.devices.empty() ? std::string()
                                    : assigned.devices[static_cast<std::size_t>(world.rank().value)].name;
}

} // namespace trainyard
