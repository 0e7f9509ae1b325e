#include <algorithm>
#include <cmath>

#include "engine/planner/element_size.h"
#include "engine/planner/layer_activations.h"
#include "engine/planner/parameter_parts.h"
#include "engine/planner/rank_states.h"
#include "engine/planner/stage_costs.h"
#include "engine/planner/time/collective_time.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

/// What StepModel::create() needs while it works.
class StepModelBuilder {
public:
    StepModelBuilder(const RunSpec& spec, const SequenceShape& shape, const NodeModel& node,
                     const ProgramTraits& program, const RankGrid& grid)
        : m_spec(spec)
        , m_shape(shape)
        , m_node(node)
        , m_program(program)
        , m_tensor(placeOf(grid, {Axis::Tensor}, node.devices))
        , m_pipeline(placeOf(grid, {Axis::Pipeline}, node.devices))
        , m_context(placeOf(grid, {Axis::Context}, node.devices))
        , m_data(placeOf(grid, {Axis::Data, Axis::Context}, node.devices))
        , m_parts(parameterParts(spec.model))
        , m_element(elementSize(spec.precision.compute))
    {
    }

    StepModel build(StepSchedule schedule, const std::vector<int>& layerCounts) const;

private:
    PassDemand demandOf(const Work& work) const;
    double ringTime(const Work& work) const;
    double keptBytes() const;
    double gatherOf(double parameters, double bytes) const;
    double layerGather(double bytes) const;
    BesideDemand besideForward(const LayerWork& layer) const;
    BesideDemand besideBackward(const LayerWork& layer) const;
    StepModel::Stage stageOf(int layers, bool first, bool last) const;
    double parametersOf(int layers, bool first, bool last) const;
    double reductionTime(double parameters) const;
    double updateTime(double parameters) const;
    double exchangeTime(double parameters, bool first, bool last) const;
    double transferTime() const;

    const RunSpec& m_spec;
    const SequenceShape& m_shape;
    const NodeModel& m_node;
    const ProgramTraits& m_program;
    const GroupPlace m_tensor, m_pipeline, m_context;
    const GroupPlace m_data; ///< all that hold the same weights
    const ParameterParts m_parts;
    const double m_element; ///< bytes
};

namespace {

// Ranks of a tensor-parallel group launch in lockstep: each further one makes it a little likelier that one
// of them is late.
constexpr double kLockstep = 0.03;
constexpr int kMostInLockstep = 8;

constexpr double kGradientReads = 8; ///< bytes per parameter: for the norm, for the update
constexpr double kNumberTraffic = 8; ///< bytes of a float32 that is read and written

} // namespace

PassDemand StepModelBuilder::demandOf(const Work& work) const
{
    const DeviceModel& device = m_node.device;
    PassDemand demand;
    for (const Product& product : work.products)
        demand.products.push_back(productTime(product, device, m_spec.precision.compute));
    demand.traffic = work.traffic / (device.memoryBandwidth * device.trafficEfficiency);
    demand.kernels = work.kernels * device.kernelTime;
    const int others = std::min(m_tensor.ranks, kMostInLockstep) - 1;
    demand.launches = work.kernels * device.launchTime * (1 + kLockstep * others);
    demand.tensor = work.collectives * allReduceTime(work.reduced, m_tensor, m_node);
    return demand;
}

double StepModelBuilder::ringTime(const Work& work) const
{
    return work.ringRounds > 0
               ? work.ringRounds * sendTime(work.ringSent / work.ringRounds, m_context, m_node)
               : 0;
}

/// Of a layer's activations, which wait in host memory.
double StepModelBuilder::keptBytes() const
{
    const Bytes tokens = static_cast<Bytes>(m_shape.length / m_spec.layout.context);
    return static_cast<double>(keptActivations(m_spec, layerActivations(m_spec, tokens), 1));
}

/// Brings together, or adds up and shares, what the data-parallel ranks hold of so many parameters.
double StepModelBuilder::gatherOf(double parameters, double bytes) const
{
    return gatherTime(parameters / m_tensor.ranks * bytes, m_data, m_node);
}

/// Of all weights or gradients of a layer, in as many collectives as the program makes of them.
double StepModelBuilder::layerGather(double bytes) const
{
    const double pieces = m_program.gathersPerLayer;
    return pieces * gatherOf(static_cast<double>(m_parts.perLayer) / pieces, bytes);
}

BesideDemand StepModelBuilder::besideForward(const LayerWork& layer) const
{
    const MemorySpec& memory = m_spec.memory;
    BesideDemand demand;
    demand.gathersWait = !m_program.overlapsGathers;
    demand.ring = ringTime(layer.forward);
    if (memory.zeroStage == 3)
        demand.gathers = layerGather(m_element);
    if (memory.offloadActivations)
        demand.copies += keptBytes() / m_node.hostLink;
    if (memory.offloadParameters)
        demand.copies += static_cast<double>(m_parts.perLayer) / m_tensor.ranks / m_data.ranks * m_element /
                         m_node.hostLink;
    return demand;
}

/// The weights come again, and from stage 2 on gradients go after every micro-batch.
BesideDemand StepModelBuilder::besideBackward(const LayerWork& layer) const
{
    BesideDemand demand = besideForward(layer);
    demand.ring = ringTime(layer.backward);
    const MemorySpec& memory = m_spec.memory;
    if (memory.zeroStage == 3 && memory.recompute == RecomputeKind::Full && m_program.gathersForRecompute)
        demand.gathers += layerGather(m_element);
    if (memory.zeroStage >= 2)
        demand.gathers += layerGather(m_program.gradientBytes);
    return demand;
}

double StepModelBuilder::parametersOf(int layers, bool first, bool last) const
{
    double parameters = static_cast<double>(m_parts.perLayer) * layers;
    if (first)
        parameters += static_cast<double>(m_parts.embeddings);
    if (last)
        parameters += static_cast<double>(m_parts.head);
    if (last && !first && m_spec.model.tiedHead)
        parameters += static_cast<double>(m_parts.words);
    return parameters;
}

double StepModelBuilder::reductionTime(double parameters) const
{
    const double bytes = parameters / m_tensor.ranks * m_program.gradientBytes;
    switch (m_spec.memory.zeroStage) {
    case 0:
        return allReduceTime(bytes, m_data, m_node);
    case 1:
        return gatherTime(bytes, m_data, m_node);
    default:
        return 0; // after every micro-batch
    }
}

/// Gradients are read twice; master weights and moments read and written; working weights written. On the
/// host each device has its share of the memory's bandwidth, and gradients come and weights go by its link.
double StepModelBuilder::updateTime(double parameters) const
{
    const MemorySpec& memory = m_spec.memory;
    const double mine = parameters / m_tensor.ranks / (memory.zeroStage >= 1 ? m_data.ranks : 1);
    const double numbers = 1 + static_cast<double>(stateNumbers(m_spec.optimizer));
    const double bytes = mine * (kGradientReads + kNumberTraffic * numbers + m_element);
    if (!memory.offloadOptimizer)
        return bytes / (m_node.device.memoryBandwidth * m_node.device.trafficEfficiency);
    const double copies = mine * (m_program.gradientBytes + m_element) / m_node.hostLink;
    return copies + bytes / (m_node.hostBandwidth / m_node.devices);
}

double StepModelBuilder::exchangeTime(double parameters, bool first, bool last) const
{
    const int zero = m_spec.memory.zeroStage;
    const double weights = zero == 1 || zero == 2 ? gatherOf(parameters, m_element) : 0;
    const bool shares = m_spec.model.tiedHead && first != last;
    const GroupPlace ends{2, std::min(2, m_pipeline.nodes), m_node.devices};
    const double words = static_cast<double>(m_parts.words) / m_tensor.ranks * m_program.gradientBytes;
    return weights + (shares ? allReduceTime(words, ends, m_node) : 0);
}

StepModel::Stage StepModelBuilder::stageOf(int layers, bool first, bool last) const
{
    const double parameters = parametersOf(layers, first, last);
    return {layers, last, reductionTime(parameters), updateTime(parameters),
            exchangeTime(parameters, first, last)};
}

/// The parts that tensor-parallel ranks sent are gathered within their node.
double StepModelBuilder::transferTime() const
{
    const double tokens = static_cast<double>(m_spec.batch.micro) * m_shape.length / m_spec.layout.context;
    const double bytes = tokens * m_spec.model.hidden * m_element;
    const bool parts = m_spec.layout.sequence || m_program.scattersTransfers;
    const double gather =
        m_program.scattersTransfers && !m_spec.layout.sequence ? gatherTime(bytes, m_tensor, m_node) : 0;
    const double send = sendTime(parts ? bytes / m_tensor.ranks : bytes, m_pipeline, m_node);
    return m_pipeline.ranks > 1 ? send + gather : 0;
}

StepModel StepModelBuilder::build(StepSchedule schedule, const std::vector<int>& layerCounts) const
{
    StepModel model(std::move(schedule));
    if (m_node.calibration)
        model.m_coefficients = m_node.calibration->coefficients;
    const LayerWork layer = layerWork(m_spec, m_shape, m_program.layerKernels);
    const HeadWork head = headWork(m_spec, m_shape);
    model.m_forward = demandOf(layer.forward);
    model.m_backward = demandOf(layer.backward);
    model.m_attentionCore = demandOf(layer.attentionCore);
    model.m_headForward = demandOf(head.forward);
    model.m_headBackward = demandOf(head.backward);
    model.m_besideForward = besideForward(layer);
    model.m_besideBackward = besideBackward(layer);
    for (std::size_t i = 0; i < layerCounts.size(); ++i)
        model.m_stages.push_back(stageOf(layerCounts[i], i == 0, i + 1 == layerCounts.size()));
    model.m_recomputed =
        m_spec.memory.recompute == RecomputeKind::Full ? 1.0 / m_spec.memory.recomputeEvery : 0;
    model.m_recomputesCore = m_spec.memory.recompute == RecomputeKind::Selective;
    model.m_overlapsReductions = m_program.overlapsReductions;
    const double gradients = parametersOf(layerCounts.front(), true, layerCounts.size() == 1) /
                             m_tensor.ranks * m_program.gradientBytes;
    model.m_lastBucket = std::min(1.0, static_cast<double>(m_spec.layout.bucketSize) / gradients);
    model.m_transfer = transferTime();
    model.m_overlapsTransfers = m_program.overlapsTransfers;
    model.m_microBatch = m_program.microBatchTime;
    model.m_slowestDevice = slowestOf(m_spec.layout.worldSize());
    model.m_replicaDoublings =
        m_data.nodes > 1 ? std::log2(static_cast<double>(m_data.ranks) / m_data.nodes) : 0;
    return model;
}

Result<StepModel> StepModel::create(const RunSpec& spec, const SequenceShape& shape, const NodeModel& node,
                                    const ProgramTraits& program, ScheduleDetail detail)
{
    TRAINYARD_TRY(const RankGrid grid, RankGrid::create(spec.layout));
    TRAINYARD_TRY(const std::vector<int> layerCounts, layersPerStage(spec, shape));
    TRAINYARD_TRY(StepSchedule schedule, StepSchedule::create(spec, detail));
    return StepModelBuilder(spec, shape, node, program, grid).build(std::move(schedule), layerCounts);
}

} // namespace trainyard
