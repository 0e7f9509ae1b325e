#include "engine/planner/hardware/hardware.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

double groupShare(const std::vector<GroupShare>& groups, int ranks)
{
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [ranks](const GroupShare& group) { return ranks <= group.ranks; });
    return found == groups.end() ? 1 : found->share;
}

double interpolated(const LinkPoint& low, const LinkPoint& high, double size)
{
    const double lowSize = static_cast<double>(low.size);
    const double share = (size - lowSize) / (static_cast<double>(high.size) - lowSize);
    return low.bandwidth + share * (high.bandwidth - low.bandwidth);
}

/// The peak and the bandwidth in use count, not those on paper.
void worsen(DeviceModel& device, const DeviceModel& other, ComputeType type)
{
    if (other.peak.of(type) * other.productEfficiency < device.peak.of(type) * device.productEfficiency) {
        device.peak = other.peak;
        device.productEfficiency = other.productEfficiency;
        device.processors = other.processors;
    }
    if (other.memoryBandwidth * other.trafficEfficiency < device.memoryBandwidth * device.trafficEfficiency) {
        device.memoryBandwidth = other.memoryBandwidth;
        device.trafficEfficiency = other.trafficEfficiency;
    }
    device.memory = std::min(device.memory, other.memory);
    device.kernelTime = std::max(device.kernelTime, other.kernelTime);
    device.launchTime = std::max(device.launchTime, other.launchTime);
}

/// Each once, in the order of the parts: "hgx-a100, hgx-h100".
template <typename NameOf>
std::string namesOf(const std::vector<ClusterModel::Part>& parts, NameOf nameOf)
{
    std::vector<std::string> names;
    for (const ClusterModel::Part& part : parts) {
        if (std::ranges::find(names, nameOf(part.node)) == names.end())
            names.push_back(nameOf(part.node));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Of two that were measured the one that may be off further; what was not measured says nothing.
void worsen(std::optional<NodeCalibration>& calibration, const std::optional<NodeCalibration>& other)
{
    if (!calibration || (other && other->errorBand > calibration->errorBand))
        calibration = other;
}

/// The bandwidth of large messages counts, among as many ranks as reach all of it.
void worsen(LinkTable& links, const LinkTable& other)
{
    const double latency = std::max(links.latency, other.latency);
    if (other.points.back().bandwidth < links.points.back().bandwidth)
        links = other;
    links.latency = latency;
}

} // namespace

double PeakRates::of(ComputeType type) const
{
    switch (type) {
    case ComputeType::Float64:
        return float64;
    case ComputeType::Float32:
        return float32;
    case ComputeType::BFloat16:
        return bfloat16;
    case ComputeType::Float16:
        return float16;
    }
    return 0;
}

double LinkTable::bandwidth(double size, int ranks) const
{
    TRAINYARD_CHECK(!points.empty());
    const auto above = std::find_if(points.begin(), points.end(), [size](const LinkPoint& point) {
        return static_cast<double>(point.size) >= size;
    });
    const double full = above == points.begin() ? above->bandwidth
                        : above == points.end() ? points.back().bandwidth
                                                : interpolated(*(above - 1), *above, size);
    return full * groupShare(groups, ranks);
}

int ClusterModel::nodes() const
{
    return std::accumulate(parts.begin(), parts.end(), 0,
                           [](int sum, const Part& part) { return sum + part.count; });
}

int ClusterModel::devices() const
{
    return std::accumulate(parts.begin(), parts.end(), 0,
                           [](int sum, const Part& part) { return sum + part.count * part.node.devices; });
}

double ClusterModel::meanPeak(ComputeType type) const
{
    double all = 0;
    for (const Part& part : parts)
        all += part.count * part.node.devices * part.node.device.peak.of(type);
    return all / devices();
}

double Price::costOf(double seconds) const
{
    constexpr double kSecondsPerHour = 3600;
    return perHour > 0 ? perHour * seconds / kSecondsPerHour : std::nan("");
}

double ClusterModel::pricePerHour() const
{
    const bool known = std::all_of(parts.begin(), parts.end(), [this](const Part& part) {
        return part.node.price.perHour > 0 && part.node.price.currency == parts.front().node.price.currency;
    });
    if (!known)
        return 0;
    return std::accumulate(parts.begin(), parts.end(), 0.0, [](double sum, const Part& part) {
        return sum + part.count * part.node.price.perHour;
    });
}

NodeModel ClusterModel::governing(ComputeType type) const
{
    TRAINYARD_CHECK(!parts.empty());
    NodeModel worst = parts.front().node;
    for (const Part& part : parts) {
        const NodeModel& node = part.node;
        worsen(worst.device, node.device, type);
        worst.devices = std::min(worst.devices, node.devices);
        worsen(worst.deviceLinks, node.deviceLinks);
        worsen(worst.network, node.network);
        worst.hostLink = std::min(worst.hostLink, node.hostLink);
        worst.hostMemory = std::min(worst.hostMemory, node.hostMemory);
        worst.hostBandwidth = std::min(worst.hostBandwidth, node.hostBandwidth);
        worsen(worst.calibration, node.calibration);
        worst.price.date = std::min(worst.price.date, node.price.date);
    }
    worst.name = namesOf(parts, [](const NodeModel& node) { return node.name; });
    worst.device.name = namesOf(parts, [](const NodeModel& node) { return node.device.name; });
    return worst;
}

ClusterModel clusterOf(const NodeModel& node, int count)
{
    return {{{node, count}}};
}

} // namespace trainyard
