#include "app/models/planned_run.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/partition/stage_times.h"
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

NodeMemory memoryOfModel(const NodeModel& node, int slotCount)
{
    return {std::nullopt, std::vector(static_cast<std::size_t>(std::max(0, slotCount)), node.device.memory)};
}

NodeMemory memoryOf(const NodeSpec& node, const std::optional<NodeModel>& hardware, const PlanInputs& inputs)
{
    const NodeMemory found = inputs.found(node);
    const bool nothing = !found.main && found.devices.empty();
    return nothing && hardware ? memoryOfModel(*hardware, node.slotCount) : found;
}

/// `hosts`: one for each of the first nodes, for ranks fill the nodes in their order.
Status fitOf(const MemoryEstimate& memory, const std::vector<HostMemory>& hosts, const Hardware& hardware)
{
    const RankNeed need{memory.onDevice(), memory.total() - memory.onDevice()};
    bool known = !hosts.empty();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        known = known && hardware[i];
        if (hardware[i])
            TRAINYARD_TRY_STATUS(fitsNode(need, *hardware[i], hosts[i].ranks));
    }
    return fitsMemory(hosts, known ? needOnNode(need, *hardware.front()).onDevice : memory.total());
}

/// `hosts` as for fitOf().
std::vector<HostMemory> roomsOf(std::vector<HostMemory> hosts, const Hardware& hardware)
{
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (!hardware[i])
            continue;
        const Bytes room = roomOnNode(*hardware[i], hosts[i].ranks).device;
        hosts[i].perRank = std::min(hosts[i].perRank.value_or(room), room);
        hosts[i].onDevices = !hardware[i]->sharesMemory;
    }
    return hosts;
}

/// The nodes that get ranks, each with as many devices as ranks may run there; nothing when one is unknown.
std::optional<ClusterModel> clusterOf(const RunSpec& spec, const Hardware& hardware, std::size_t hosts)
{
    ClusterModel cluster;
    for (std::size_t i = 0; i < hosts; ++i) {
        if (!hardware[i])
            return std::nullopt;
        NodeModel node = *hardware[i];
        node.devices = spec.cluster.nodes[i].slotCount;
        if (cluster.parts.empty() || cluster.parts.back().node != node)
            cluster.parts.push_back({std::move(node), 0});
        ++cluster.parts.back().count;
    }
    return cluster.parts.empty() ? std::nullopt : std::optional(std::move(cluster));
}

/// Node by node.
std::vector<NodeModel> nodesOf(const ClusterModel& cluster)
{
    std::vector<NodeModel> nodes;
    for (const ClusterModel::Part& part : cluster.parts)
        nodes.insert(nodes.end(), static_cast<std::size_t>(part.count), part.node);
    return nodes;
}

/// Where nodes differ, each pipeline rank takes what its own ones take; with too few slots for that the
/// governing one stands for all.
Result<StepTime> stepTime(const RunSpec& spec, const SequenceShape& shape, const ClusterModel& cluster,
                          const NodeModel& governing)
{
    TRAINYARD_TRY(const StepModel model, StepModel::create(spec, shape, governing));
    const bool unequal = cluster.parts.size() > 1 && spec.layout.worldSize() <= cluster.devices();
    if (!unequal)
        return model.estimate();
    TRAINYARD_TRY(const std::vector<PipelineNode> ranks, pipelineNodes(spec, nodesOf(cluster)));
    return timeStep(spec, shape, ranks);
}

/// What is wrong with that of a specification which decides a step; a missing data set, say, does not.
Diagnostics problemsOfStep(const RunSpec& spec)
{
    constexpr std::array<std::string_view, 4> kParts{"model", "layout", "batch", "memory"};
    Diagnostics problems = validate(spec);
    std::erase_if(problems, [&](const Diagnostic& problem) {
        const std::string_view part = std::string_view(problem.path).substr(0, problem.path.find('.'));
        return std::find(kParts.begin(), kParts.end(), part) == kParts.end();
    });
    return problems;
}

Result<std::optional<PlannedTime>> timeOf(const RunSpec& spec, const SequenceShape& shape,
                                          const Hardware& hardware, std::size_t hosts)
{
    const auto cluster = clusterOf(spec, hardware, hosts);
    if (!cluster)
        return std::optional<PlannedTime>();
    if (const Diagnostics problems = problemsOfStep(spec); !problems.empty())
        return toError(problems);
    PlannedTime time;
    time.node = cluster->governing(spec.precision.compute);
    TRAINYARD_TRY(time.step, stepTime(spec, shape, *cluster, time.node));
    time.figures = stepFigures(spec, shape, time.node.device, time.step.seconds);
    const double tokens = static_cast<double>(spec.launch.steps) * spec.batch.global * shape.length;
    time.training = trainingEffort(tokens, time.figures, *cluster);
    return std::optional(std::move(time));
}

} // namespace

PlannedRun planRun(const RunSpec& spec, const PlanInputs& inputs)
{
    const auto looked = hardwareOf(spec, inputs);
    const Hardware hardware = looked.ok() ? *looked : Hardware(spec.cluster.nodes.size());
    PlannedRun plan;
    plan.memory = estimateMemory(spec, inputs.shape);
    plan.hosts = memoryOfHosts(
        spec, [&](std::size_t i) { return memoryOf(spec.cluster.nodes[i], hardware[i], inputs); });
    plan.pipelineRanks = memoryOfPipelineRanks(spec, inputs.shape);
    plan.rooms = roomsOf(plan.hosts, hardware);
    plan.fits = fitOf(plan.memory, plan.hosts, hardware);
    plan.time = looked.ok() ? timeOf(spec, inputs.shape, hardware, plan.hosts.size()) : looked.error();
    return plan;
}

} // namespace trainyard
