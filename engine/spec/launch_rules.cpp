#include "engine/spec/launch_rules.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "engine/base/counted.h"
#include "engine/base/parsed_number.h"
#include "engine/base/units.h"
#include "engine/spec/device_name.h"
#include "engine/spec/hardware_name.h"

namespace trainyard {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMinute{60'000};
constexpr int kLowestPort = 1024;
constexpr int kHighestPort = 65'535;

bool isHostName(const std::string& host)
{
    return !host.empty() && host.front() != '-' && std::ranges::all_of(host, [](unsigned char c) {
        return std::isalnum(c) || std::string_view("._-:@[]").find(char(c)) != std::string_view::npos;
    });
}

/// What Slurm's own names are made of; a constraint combines features with & | [ ] * ( ).
bool isSlurmText(const std::string& text, std::string_view signs)
{
    return text.size() <= 128 && !text.starts_with('-') && std::ranges::all_of(text, [&](unsigned char c) {
               return std::isalnum(c) || signs.find(char(c)) != std::string_view::npos;
           });
}

void checkText(const std::string& text, std::string_view signs, const char* path, Checker& check)
{
    check.require(isSlurmText(text, signs), path, fmt::format("\"{}\" is not a name of Slurm's", text),
                  fmt::format("use letters, digits and {}", signs));
}

void checkDevices(const RunSpec& spec, const NodeSpec& node, const std::string& path, Checker& check)
{
    if (node.devices.empty())
        return;
    std::set<std::string> seen;
    for (const std::string& device : node.devices) {
        check.require(isDeviceName(device), path.c_str(), fmt::format("\"{}\" is not a device", device),
                      "write its index, e.g. \"0\", or its name as `nvidia-smi -L` prints it");
        check.require(seen.insert(device).second, path.c_str(), fmt::format("\"{}\" is named twice", device),
                      "name each device once");
    }
    check.require(node.devices.size() >= static_cast<std::size_t>(node.slotCount), path.c_str(),
                  fmt::format("has {} for {}", counted(node.devices.size(), "device"),
                              counted(static_cast<std::uint64_t>(node.slotCount), "slot")),
                  "name at least one device per slot, or give the host fewer slots");
    check.require(spec.launch.launcher != LauncherKind::Slurm, path.c_str(),
                  "has no effect in a Slurm job, whose devices Slurm chooses", "leave it out");
}

void checkHost(const RunSpec& spec, std::size_t index, std::set<std::string>& seen, Checker& check)
{
    const NodeSpec& node = spec.cluster.nodes[index];
    const NodeSpec& first = spec.cluster.nodes.front();
    const std::string path = fmt::format("cluster.nodes[{}]", index);
    const std::string host = path + ".host";
    const std::string slots = path + ".slots";
    check.require(isHostName(node.host), host.c_str(), fmt::format("\"{}\" is not a host name", node.host),
                  "use the name that you give to ssh, e.g. gpu-03 or me@10.0.0.3:2222");
    check.require(node.hardware.empty() || isHardwareName(node.hardware), (path + ".hardware").c_str(),
                  fmt::format("\"{}\" is not a name of hardware", node.hardware),
                  "name a preset, e.g. hgx-h100, or one of your own; leave it out where it is unknown");
    checkDevices(spec, node, path + ".devices", check);
    if (spec.launch.launcher == LauncherKind::Slurm) {
        check.require(node.host == first.host, host.c_str(), fmt::format("is not \"{}\"", first.host),
                      "with launch.launcher \"slurm\" every node has the login host's name");
        check.require(node.slotCount == first.slotCount, slots.c_str(), fmt::format("is {}", node.slotCount),
                      fmt::format("the nodes of a Slurm job have equal slots: {}", first.slotCount));
        return;
    }
    check.require(seen.insert(node.host).second, host.c_str(),
                  fmt::format("\"{}\" is named twice", node.host), "give each host once, with all its slots");
}

} // namespace

void checkSlurm(const SlurmSpec& slurm, Checker& check)
{
    checkText(slurm.partition, "._-,", "launch.slurm.partition", check);
    checkText(slurm.account, "._-", "launch.slurm.account", check);
    checkText(slurm.qos, "._-", "launch.slurm.qos", check);
    checkText(slurm.constraint, "._-&|[]()*,", "launch.slurm.constraint", check);
    check.require(slurm.timeLimit % kMinute == milliseconds(0), "launch.slurm.time_limit",
                  "is " + formatDuration(slurm.timeLimit), "Slurm counts in whole minutes");
    check.require(slurm.timeLimit.count() == 0 || slurm.warning < slurm.timeLimit, "launch.slurm.warning",
                  "is " + formatDuration(slurm.warning),
                  "must be shorter than launch.slurm.time_limit, " + formatDuration(slurm.timeLimit));
}

std::optional<PortRange> portRangeIn(const std::string& text)
{
    const auto dash = text.find('-');
    if (dash == std::string::npos)
        return std::nullopt;
    const auto first = parsedNumber<int>(std::string_view(text).substr(0, dash));
    const auto last = parsedNumber<int>(std::string_view(text).substr(dash + 1));
    if (!first || !last || *first < kLowestPort || *last > kHighestPort || *first > *last)
        return std::nullopt;
    return PortRange{*first, *last};
}

void checkNetwork(const RunSpec& spec, Checker& check)
{
    const LaunchSpec& launch = spec.launch;
    const bool plain = std::ranges::all_of(launch.network, [](unsigned char c) {
        return std::isalnum(c) || std::string_view("._-:/").find(char(c)) != std::string_view::npos;
    });
    check.require(plain && !launch.network.starts_with('-'), "launch.network",
                  fmt::format("\"{}\" is neither a network nor an interface", launch.network),
                  "write it as 10.1.0.0/16 or as eth1");
    if (launch.ports.empty())
        return;
    const auto ports = portRangeIn(launch.ports);
    check.require(ports.has_value(), "launch.ports",
                  fmt::format("\"{}\" is not a range of ports", launch.ports),
                  fmt::format("write it as 20000-20063, from {} to {}", kLowestPort, kHighestPort));
    if (!ports)
        return;
    for (const NodeSpec& node : spec.cluster.nodes)
        check.require(
            ports->count() > node.slotCount, "launch.ports",
            fmt::format("has {} ports, and {} has {} slots", ports->count(), node.host, node.slotCount),
            fmt::format("give at least {}: one for each rank and one for MPI", node.slotCount + 1));
}

void checkCluster(const RunSpec& spec, Checker& check)
{
    check.require(!spec.cluster.nodes.empty(), "cluster.nodes", "names no host", "add at least one host");
    std::set<std::string> seen;
    for (std::size_t index = 0; index < spec.cluster.nodes.size(); ++index)
        checkHost(spec, index, seen, check);
}

} // namespace trainyard
