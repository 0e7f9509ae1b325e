#include "engine/planner/calibration/probe.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/spec/names.h"

namespace trainyard {

namespace {

constexpr std::array<std::string_view, kProbeKinds> kKinds{"product",      "traffic",    "elementwise",
                                                           "host-traffic", "launch",     "host-copy",
                                                           "all-reduce",   "all-gather", "send"};
constexpr std::array<std::string_view, kProbeReaches> kReaches{"device", "node", "network"};

template <typename Enum, std::size_t Count>
std::optional<Enum> found(const std::array<std::string_view, Count>& names, std::string_view name)
{
    const auto at = std::ranges::find(names, name);
    if (at == names.end())
        return std::nullopt;
    return static_cast<Enum>(at - names.begin());
}

std::string placeText(ProbeReach reach)
{
    switch (reach) {
    case ProbeReach::Device:
        return "";
    case ProbeReach::Node:
        return " within a host";
    case ProbeReach::Network:
        return " over the network";
    }
    return "";
}

} // namespace

std::string_view nameOf(ProbeKind kind)
{
    return kKinds[static_cast<std::size_t>(kind)];
}

std::string_view nameOf(ProbeReach reach)
{
    return kReaches[static_cast<std::size_t>(reach)];
}

std::optional<ProbeKind> probeKindFrom(std::string_view name)
{
    return found<ProbeKind>(kKinds, name);
}

std::optional<ProbeReach> probeReachFrom(std::string_view name)
{
    return found<ProbeReach>(kReaches, name);
}

std::string Probe::text() const
{
    if (kind == ProbeKind::Product)
        return fmt::format("{} product {} x {} x {}{}", nameOf(type), product.rows, product.columns,
                           product.depth,
                           product.copies > 1 ? fmt::format(", {} times", product.copies) : "");
    if (kind == ProbeKind::Launch)
        return fmt::format("{} kernel launches", kLaunchesOfProbe);
    return fmt::format("{} of {}{}", nameOf(kind), formatBytes(static_cast<Bytes>(bytes)), placeText(reach));
}

} // namespace trainyard
