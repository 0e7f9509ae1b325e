#include "app/plan/planned_run.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <unistd.h>

#include <QObject>

#include "app/base/this_machine.h"
#include "app/plan/heterogeneous_step_time.h"
#include "engine/planner/hardware/hardware_problems.h"
#include "engine/planner/hardware/node_fit.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

/// Of each node of the run, in its order.
using Hardware = std::vector<std::optional<NodeModel>>;

Result<Hardware> hardwareOf(const RunSpec& spec, const PlanInputs& inputs)
{
    std::map<std::string, NodeModel> known;
    Hardware hardware;
    for (const NodeSpec& node : spec.cluster.nodes) {
        if (node.hardware.empty()) {
            hardware.emplace_back();
            continue;
        }
        if (!known.contains(node.hardware)) {
            TRAINYARD_TRY(NodeModel found, inputs.hardware(node.hardware));
            known.emplace(node.hardware, std::move(found));
        }
        hardware.emplace_back(known.at(node.hardware));
    }
    return hardware;
}

std::vector<HostMemory> lookAtHosts(const RunSpec& spec, const Hardware& hardware, const PlanInputs& inputs)
{
    std::vector<NodeMemory> found;
    for (const NodeSpec& node : spec.cluster.nodes)
        found.push_back(inputs.found(node));
    auto hosts = memoryOfHosts(spec, [&](std::size_t node) { return found[node]; });
    for (HostMemory& host : hosts) {
        const bool nothing = !found[host.node].main && found[host.node].devices.empty();
        if (!hardware[host.node])
            continue;
        host = nothing ? onHardware(std::move(host), *hardware[host.node], spec.launch.device)
                       : withPeaks(std::move(host), *hardware[host.node]);
    }
    return hosts;
}

/// The nodes that get ranks, each with as many devices as ranks may run there; nothing when one is unknown.
std::optional<ClusterModel> clusterOf(const RunSpec& spec, const Hardware& hardware,
                                      const std::vector<HostMemory>& hosts)
{
    ClusterModel cluster;
    for (const HostMemory& host : hosts) {
        if (!hardware[host.node])
            return std::nullopt;
        NodeModel node = *hardware[host.node];
        node.devices = spec.cluster.nodes[host.node].slotCount;
        if (cluster.parts.empty() || cluster.parts.back().node != node)
            cluster.parts.push_back({std::move(node), 0});
        ++cluster.parts.back().count;
    }
    return cluster.parts.empty() ? std::nullopt : std::optional(std::move(cluster));
}

/// What each node is; of those without ranks, which may be unknown, nobody asks.
std::shared_ptr<const std::vector<NodeModel>> nodesOf(const Hardware& hardware)
{
    auto nodes = std::make_shared<std::vector<NodeModel>>();
    for (const std::optional<NodeModel>& node : hardware)
        nodes->push_back(node.value_or(NodeModel()));
    return nodes;
}

/// What is wrong with that of a specification which decides a step; a missing data set, say, does not.
Diagnostics problemsOfStep(const RunSpec& spec, const Hardware& hardware)
{
    constexpr std::array<std::string_view, 4> kParts{"model", "layout", "batch", "memory"};
    Diagnostics problems = validate(spec);
    std::erase_if(problems, [&](const Diagnostic& problem) {
        const std::string_view part = std::string_view(problem.path).substr(0, problem.path.find('.'));
        return std::find(kParts.begin(), kParts.end(), part) == kParts.end();
    });
    std::ranges::move(hardwareProblems(spec, hardware), std::back_inserter(problems));
    return problems;
}

/// Steps are shorter while the batch grows.
Status shortenByRamp(const RunSpec& spec, const SequenceShape& shape, PlannedTime& time)
{
    const BatchRampSpec& ramp = spec.batch.ramp;
    if (!ramp.isOn())
        return {};
    TRAINYARD_TRY(const StepTime first, stepTimeOn(time, atGlobalBatch(spec, ramp.start), shape));
    const double full = time.step.seconds;
    const double share = trainingSeconds(spec, first.seconds, full) / (spec.launch.steps * full);
    time.training.days *= share;
    time.training.cost *= share;
    return {};
}

Result<std::optional<PlannedTime>> timeOf(const RunSpec& spec, const SequenceShape& shape,
                                          const Hardware& hardware, const std::vector<HostMemory>& hosts)
{
    const auto cluster = clusterOf(spec, hardware, hosts);
    if (!cluster)
        return std::optional<PlannedTime>();
    if (const Diagnostics problems = problemsOfStep(spec, hardware); !problems.empty())
        return toError(problems);
    PlannedTime time;
    time.peak = cluster->meanPeak(spec.precision.compute);
    time.node = cluster->governing(spec.precision.compute);
    if (cluster->parts.size() > 1)
        time.unequal = nodesOf(hardware);
    TRAINYARD_TRY(time.step, stepTimeOn(time, spec, shape));
    time.stats = stepStats(spec, shape, time.peak, time.step.seconds);
    const double tokens = static_cast<double>(spec.launch.steps) * spec.batch.global * shape.length;
    time.training = trainingEffort(tokens, time.stats, *cluster);
    TRAINYARD_TRY_STATUS(shortenByRamp(spec, shape, time));
    return std::optional(std::move(time));
}

std::vector<MemoryByCategory> peaksOf(const std::vector<RankMemory>& ranks)
{
    std::vector<MemoryByCategory> peaks;
    for (const RankMemory& rank : ranks)
        peaks.push_back(rank.peak);
    return peaks;
}

/// The hosts of specifications on one cluster. What solves a problem is looked for among thousands that
/// hardly differ, and a look at hundreds of hosts takes longer than all the rest.
class RememberedHosts {
public:
    explicit RememberedHosts(PlanInputs inputs) : m_inputs(std::move(inputs)) {}

    const std::vector<HostMemory>& hostsOf(const RunSpec& spec)
    {
        if (spec.cluster != m_cluster || spec.launch.device != m_device) {
            m_byRanks.clear();
            m_cluster = spec.cluster;
            m_device = spec.launch.device;
        }
        const auto [entry, isNew] = m_byRanks.try_emplace(spec.layout.worldSize());
        if (isNew)
            entry->second = look(spec);
        return entry->second;
    }

private:
    std::vector<HostMemory> look(const RunSpec& spec) const
    {
        const auto hardware = hardwareOf(spec, m_inputs);
        return lookAtHosts(spec, hardware.ok() ? *hardware : Hardware(spec.cluster.nodes.size()), m_inputs);
    }

    PlanInputs m_inputs;
    ClusterSpec m_cluster;
    DeviceKind m_device = DeviceKind::Auto;
    std::map<int, std::vector<HostMemory>> m_byRanks;
};

} // namespace

std::optional<TimeBand> PlannedTime::band() const
{
    if (!node.calibration)
        return std::nullopt;
    return node.calibration->bandOf(step.seconds);
}

PlannedRun planRun(const RunSpec& asked, const PlanInputs& inputs)
{
    const auto looked = hardwareOf(asked, inputs);
    const Hardware hardware = looked.ok() ? *looked : Hardware(asked.cluster.nodes.size());
    PlannedRun plan;
    plan.hosts = lookAtHosts(asked, hardware, inputs);
    RunSpec spec = asked;
    spec.launch.device = resolvedDevice(asked.launch.device, plan.hosts);
    const NarrowProducts products = productsOn(spec, plan.hosts);
    plan.memory = estimateMemory(spec, inputs.shape, products);
    plan.pipelineRanks = memoryOfRanks(spec, inputs.shape, products);
    plan.shortage = memoryShortage(spec.layout, plan.hosts, peaksOf(plan.pipelineRanks));
    plan.time = looked.ok() ? timeOf(spec, inputs.shape, hardware, plan.hosts) : looked.error();
    return plan;
}

PlanFacts planFacts(const PlanInputs& inputs, const std::optional<DataSetShape>& rows)
{
    return {inputs.shape, rows,
            [remembered = std::make_shared<RememberedHosts>(inputs)](const RunSpec& spec) {
                return remembered->hostsOf(spec);
            }};
}

NodeMemory memoryHere(const NodeSpec& node)
{
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    if (node.host != thisMachine().toStdString() || !node.hardware.empty() || pages <= 0)
        return {};
    return {static_cast<Bytes>(pages) * static_cast<Bytes>(::sysconf(_SC_PAGESIZE)), {}, processorMathHere()};
}

SequenceShape sequencesOf(int length)
{
    constexpr double kMaskedShare = 0.15;
    return {length, static_cast<int>(length * kMaskedShare)};
}

std::optional<std::size_t> nodeOfUnknownHardware(const PlannedDesign& design)
{
    for (const HostMemory& host : design.plan.hosts) {
        if (design.spec.cluster.nodes[host.node].hardware.empty())
            return host.node;
    }
    return std::nullopt;
}

QString timeObstacle(const PlannedDesign& design)
{
    if (design.hasTime())
        return {};
    if (!design.plan.time.ok())
        return QObject::tr("Cannot predict the time: %1")
            .arg(QString::fromStdString(design.plan.time.error().text()));
    const auto node = nodeOfUnknownHardware(design);
    return node ? QObject::tr("Choose the hardware of %1 to see step time, throughput, cost and scaling.")
                      .arg(QString::fromStdString(design.spec.cluster.nodes[*node].host))
                : QObject::tr("No rank has a host yet.");
}

QString timeObstacleInShort(const PlannedDesign& design)
{
    if (design.hasTime())
        return {};
    return design.plan.time.ok() ? QObject::tr("Choose hardware to see this.")
                                 : QObject::tr("Fix the problems in the verdict to see this.");
}

} // namespace trainyard
