#include "engine/planner/calibration/probed_node.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "engine/planner/calibration/probe_time.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

constexpr double kKernelTime = 5e-6; ///< of a kernel on an accelerator, which hides behind its launch
constexpr double kUnknownLatency = 5e-5;
/// Of the time of a message or kernel at least this share is taken for its bytes or operations, whatever the
/// smallest one takes.
constexpr double kMinWorkShare = 0.1;

constexpr std::array kTypes{ComputeType::Float64, ComputeType::Float32, ComputeType::BFloat16,
                            ComputeType::Float16};

double& peakOf(PeakRates& peak, ComputeType type)
{
    switch (type) {
    case ComputeType::Float64:
        return peak.float64;
    case ComputeType::BFloat16:
        return peak.bfloat16;
    case ComputeType::Float16:
        return peak.float16;
    case ComputeType::Float32:
        break;
    }
    return peak.float32;
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Of normal deviates around 0 the standard deviation, by their median size: one that is far out says little
/// about the others.
double deviationOf(std::vector<double> deviates)
{
    constexpr double kOfMedian = 1.4826;
    for (double& deviate : deviates)
        deviate = std::abs(deviate);
    return kOfMedian * median(std::move(deviates));
}

/// Without what the kernel takes besides its work.
double workTime(const Probe& probe, const DeviceModel& device)
{
    return std::max(probe.seconds - device.kernelTime, kMinWorkShare * probe.seconds);
}

class NodeFit {
public:
    explicit NodeFit(const ProbeReport& report) : m_report(report), m_hardware(report.hardware) {}

    Result<NodeModel> node();
    double errorBand(const NodeModel& node) const;

private:
    using Wanted = std::function<bool(const Probe&)>;
    std::vector<Probe> select(const Wanted& wanted) const;
    Result<Probe> one(ProbeKind kind) const;
    Status fitMemory(NodeModel& node) const;
    Status fitProducts(DeviceModel& device) const;
    LinkTable linkTable(ProbeReach reach) const;
    bool isOtherType(const Probe& probe) const;

    const ProbeReport& m_report;
    const ProbedHardware& m_hardware;
};

std::vector<Probe> NodeFit::select(const Wanted& wanted) const
{
    std::vector<Probe> selected;
    std::ranges::copy_if(m_report.probes, std::back_inserter(selected), wanted);
    return selected;
}

Result<Probe> NodeFit::one(ProbeKind kind) const
{
    const auto found = std::ranges::find(m_report.probes, kind, &Probe::kind);
    if (found == m_report.probes.end())
        return badInput(fmt::format("no {} was probed", nameOf(kind)), "probe the hosts again");
    return *found;
}

Status NodeFit::fitMemory(NodeModel& node) const
{
    TRAINYARD_TRY(const Probe traffic, one(ProbeKind::Traffic));
    TRAINYARD_TRY(const Probe elementwise, one(ProbeKind::Elementwise));
    TRAINYARD_TRY(const Probe hostTraffic, one(ProbeKind::HostTraffic));
    TRAINYARD_TRY(const Probe hostCopy, one(ProbeKind::HostCopy));
    TRAINYARD_TRY(const Probe launch, one(ProbeKind::Launch));
    node.device.memoryBandwidth = traffic.bytes / traffic.seconds;
    node.device.trafficEfficiency =
        std::min(1.0, elementwise.bytes / elementwise.seconds / node.device.memoryBandwidth);
    node.hostBandwidth = hostTraffic.bytes * m_hardware.ranksPerHost / hostTraffic.seconds;
    node.hostLink = hostCopy.bytes / hostCopy.seconds;
    const double ofKernel = launch.seconds / kLaunchesOfProbe;
    node.device.kernelTime = m_hardware.isProcessor() ? ofKernel : kKernelTime;
    node.device.launchTime = m_hardware.isProcessor() ? 0 : ofKernel;
    return {};
}

/// The peak of a type is the best rate of its products; the efficiency what those of the type in use reach of
/// it inside the time model's waves, in the median. Requires memory and kernel time.
Status NodeFit::fitProducts(DeviceModel& device) const
{
    device.productEfficiency = 1;
    std::array<std::vector<Probe>, kTypes.size()> products;
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
        products[i] = select([type = kTypes[i]](const Probe& probe) {
            return probe.kind == ProbeKind::Product && probe.type == type;
        });
        if (products[i].empty())
            return badInput(fmt::format("no product in {} was probed", nameOf(kTypes[i])),
                            "probe the hosts again");
        double& peak = peakOf(device.peak, kTypes[i]);
        for (const Probe& probe : products[i])
            peak = std::max(peak, probe.product.operations() / workTime(probe, device));
    }
    const auto reached = [&](const Probe& probe) {
        return productTime(probe.product, device, probe.type).arithmetic / workTime(probe, device);
    };
    std::array<double, kTypes.size()> shares{};
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
        std::vector<double> found;
        std::ranges::transform(products[i], std::back_inserter(found), reached);
        shares[i] = median(std::move(found));
    }
    const auto inUse = static_cast<std::size_t>(std::ranges::find(kTypes, m_report.type) - kTypes.begin());
    device.productEfficiency = std::min(1.0, shares[inUse]);
    for (std::size_t i = 0; i < kTypes.size(); ++i)
        peakOf(device.peak, kTypes[i]) *= shares[i] / device.productEfficiency;
    return {};
}

/// Empty where nothing was probed.
LinkTable NodeFit::linkTable(ProbeReach reach) const
{
    std::vector<Probe> reductions = select(
        [reach](const Probe& probe) { return probe.kind == ProbeKind::AllReduce && probe.reach == reach; });
    if (reductions.size() < 2)
        return {};
    std::ranges::sort(reductions, {}, &Probe::bytes);
    const double waiting = reductions.front().seconds;
    const bool isNetwork = reach == ProbeReach::Network;
    const double hosts = static_cast<double>(m_hardware.hosts.size());
    const double members = isNetwork ? hosts : m_hardware.ranksPerHost;
    const double groups = isNetwork ? m_hardware.ranksPerHost : 1;
    LinkTable table;
    table.latency = isNetwork ? waiting / std::log2(hosts) : waiting;
    for (std::size_t i = 1; i < reductions.size(); ++i) {
        const Probe& probe = reductions[i];
        const double busy = std::max(probe.seconds - waiting, kMinWorkShare * probe.seconds);
        table.points.push_back(
            {static_cast<Bytes>(probe.bytes), groups * 2 * (members - 1) / members * probe.bytes / busy});
    }
    return table;
}

Result<NodeModel> NodeFit::node()
{
    NodeModel node;
    TRAINYARD_TRY_STATUS(fitMemory(node));
    node.device.name = m_hardware.device;
    node.device.memory = m_hardware.deviceMemory;
    node.device.processors = m_hardware.processors;
    node.device.peak.source = "measured: the best product of each type";
    TRAINYARD_TRY_STATUS(fitProducts(node.device));
    node.devices = m_hardware.ranksPerHost;
    node.hostMemory = m_hardware.hostMemory;
    node.sharesMemory = m_hardware.isProcessor();
    node.math = m_hardware.math;
    node.deviceLinks = linkTable(ProbeReach::Node);
    if (node.deviceLinks.points.empty())
        node.deviceLinks.points = {{kMiB, node.device.memoryBandwidth}};
    node.network = linkTable(ProbeReach::Network);
    if (node.network.points.empty())
        node.network = {kUnknownLatency, {{kMiB, kUnknownNetwork}}, {}};
    return node;
}

bool NodeFit::isOtherType(const Probe& probe) const
{
    return probe.kind == ProbeKind::Product && probe.type != m_report.type;
}

double NodeFit::errorBand(const NodeModel& node) const
{
    std::vector<double> misfits;
    std::vector<double> spreads;
    for (const Probe& probe : m_report.probes) {
        if (isOtherType(probe))
            continue;
        misfits.push_back(std::log(predictedTime(probe, m_hardware, node) / probe.seconds));
        spreads.push_back(probe.spread);
    }
    return std::hypot(kModelError, deviationOf(misfits), median(spreads));
}

Status checkProbes(const ProbeReport& report)
{
    for (const Probe& probe : report.probes) {
        if (!(probe.seconds > 0))
            return badInput(fmt::format("the probe \"{}\" has no time", probe.text()),
                            "probe the hosts again");
        const bool alone = (probe.reach == ProbeReach::Network && report.hardware.hosts.size() < 2) ||
                           (probe.reach == ProbeReach::Node && report.hardware.ranksPerHost < 2);
        if (alone)
            return badInput(fmt::format("the probe \"{}\" has no peer", probe.text()),
                            "probe the hosts again");
    }
    return {};
}

} // namespace

Result<NodeModel> probedNode(const ProbeReport& report, const std::string& date)
{
    TRAINYARD_TRY_STATUS(checkProbes(report));
    NodeFit fit(report);
    TRAINYARD_TRY(NodeModel node, fit.node());
    NodeCalibration& calibration = node.calibration.emplace();
    calibration.date = date;
    calibration.hosts = report.hardware.hosts;
    calibration.errorBand = fit.errorBand(node);
    return node;
}

} // namespace trainyard
