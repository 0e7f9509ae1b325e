#include <algorithm>
#include <cmath>

#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/planner/layout/shape.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/layer_activations.h"
#include "engine/planner/memory/rank_states.h"
#include "engine/planner/time/collective_time.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

namespace {

/// A host that computes itself carries as many ranks as it has slots, also more than cores.
int ranksPerNode(const RunSpec& spec, const NodeModel& node)
{
    int ranks = node.devices;
    for (const NodeSpec& host : spec.cluster.nodes)
        ranks = node.sharesMemory ? std::max(ranks, host.slotCount) : ranks;
    return ranks;
}

} // namespace

/// What StepModel::create() needs while it works.
class StepModelBuilder {
public:
    StepModelBuilder(const RunSpec& spec, const SequenceShape& shape, const NodeModel& node,
                     const ProgramTraits& program, const RankGrid& grid)
        : m_spec(spec)
        , m_shape(shape)
        , m_node(node)
        , m_program(program)
        , m_ranksPerNode(ranksPerNode(spec, node))
        , m_tensor(placeOf(grid, {Axis::Tensor}, m_ranksPerNode))
        , m_pipeline(placeOf(grid, {Axis::Pipeline}, m_ranksPerNode))
        , m_context(placeOf(grid, {Axis::Context}, m_ranksPerNode))
        , m_data(placeOf(grid, {Axis::Data, Axis::Context}, m_ranksPerNode))
        , m_expert(placeOf(grid, {Axis::Expert}, m_ranksPerNode))
        , m_holders{m_data, neighboursIn(m_data, spec.layout.shardRanks()),
                    acrossNeighbours(m_data, spec.layout.shardRanks())}
        , m_expertHolders(expertHolders(grid))
        , m_parts(parameterParts(spec.model))
        , m_trained(trainedParts(spec.model))
        , m_element(elementSize(spec.precision.compute))
    {
    }

    StepModel build(StepSchedule schedule, const std::vector<int>& layerCounts) const;

private:
    /// Ranks that hold the same parameters: all, those that share one copy of what ZeRO shards, and those
    /// that own the same part of the copies.
    struct HolderPlaces {
        GroupPlace all, owners, copies;
    };
    HolderPlaces expertHolders(const RankGrid& grid) const;
    PassDemand demandOf(const Work& work) const;
    double ringTime(const Work& work) const;
    double keptBytes() const;
    double repeatedAttention() const;
    double gatherOf(const ExpertSplit& parameters, double bytes, double pieces) const;
    BesideDemand besideDemand() const;
    BesideDemand weightsOf(const ExpertSplit& parameters, double pieces) const;
    double gradientGather(const ExpertSplit& parameters, double pieces) const;
    StepModel::PassBeside besideLayer(const LayerWork& layer) const;
    StepModel::PassBeside besideEmbeddings() const;
    StepModel::PassBeside besideHead() const;
    StepModel::Stage stageOf(int layers, bool first, bool last) const;
    ExpertSplit trainedOf(int layers, bool first, bool last) const;
    double reductionTime(const ExpertSplit& parameters) const;
    double updateTime(const ExpertSplit& parameters) const;
    double weightGatherTime(const ExpertSplit& parameters) const;
    double tiedTime(bool first, bool last) const;
    double transferTime() const;
    double sharingDoublings(int ranksHere) const;

    const RunSpec& m_spec;
    const SequenceShape& m_shape;
    const NodeModel& m_node;
    const ProgramTraits& m_program;
    const int m_ranksPerNode;
    const GroupPlace m_tensor, m_pipeline, m_context;
    const GroupPlace m_data;   ///< all that hold the same weights
    const GroupPlace m_expert; ///< those of them that share experts
    const HolderPlaces m_holders;
    const HolderPlaces m_expertHolders; ///< of experts that ranks share
    const ParameterParts m_parts;
    const ParameterParts m_trained; ///< those of them that are not frozen
    const double m_element;         ///< bytes
};

namespace {

// Ranks of a tensor-parallel group launch in lockstep: each further one makes it a little likelier that one
// of them is late.
constexpr double kLockstep = 0.03;
constexpr int kMaxInLockstep = 8;

constexpr double kGradientReads = 8; ///< bytes per parameter: for the norm, for the update
constexpr double kNumberTraffic = 8; ///< bytes of a float32 that is read and written
/// A processor's elementwise operations widen 16 bits to float32, and from its caches that takes as long as
/// float32 itself.
constexpr double kWidenedElement = 4;

} // namespace

StepModelBuilder::HolderPlaces StepModelBuilder::expertHolders(const RankGrid& grid) const
{
    const GroupPlace all = placeOf(grid, {Axis::ExpertCopies, Axis::Context}, m_ranksPerNode);
    const int shard = m_spec.layout.expertShardRanks();
    return {all, neighboursIn(all, shard), acrossNeighbours(all, shard)};
}

PassDemand StepModelBuilder::demandOf(const Work& work) const
{
    const DeviceModel& device = m_node.device;
    PassDemand demand;
    for (const MatrixProduct& product : work.products)
        demand.products.push_back(productTime(product, device, m_spec.precision.compute));
    demand.traffic = work.traffic / (device.memoryBandwidth * device.trafficEfficiency);
    const int others = std::min(m_tensor.ranks, kMaxInLockstep) - 1;
    demand.launches = work.kernels * device.launchTime * (1 + kLockstep * others);
    demand.onHost = m_node.sharesMemory;
    (demand.onHost ? demand.launches : demand.kernels) += work.kernels * device.kernelTime;
    demand.tensor = work.collectives * allReduceTime(work.reduced, m_tensor, m_node);
    if (work.adapterCollectives > 0)
        demand.tensor += work.adapterCollectives * allReduceTime(work.adapterReduced, m_tensor, m_node);
    demand.experts = work.exchanges * allToAllTime(work.exchanged, m_expert, m_node);
    return demand;
}

double StepModelBuilder::ringTime(const Work& work) const
{
    return work.ringRounds > 0
               ? work.ringRounds * sendTime(work.ringSent / work.ringRounds, m_context, m_node)
               : 0;
}

/// Of an average layer's activations, which wait in host memory.
double StepModelBuilder::keptBytes() const
{
    const Bytes tokens = static_cast<Bytes>(m_shape.length / m_spec.layout.context);
    const Bytes layers = static_cast<Bytes>(m_spec.model.layers);
    const Bytes kept = keptActivations(m_spec, layerActivations(m_spec, tokens), layers);
    return static_cast<double>(kept) / static_cast<double>(layers);
}

/// Share of the layers whose attention is computed again, and its ring with it.
double StepModelBuilder::repeatedAttention() const
{
    switch (m_spec.memory.recompute) {
    case RecomputeKind::None:
        return 0;
    case RecomputeKind::Selective:
        return 1;
    case RecomputeKind::Full:
        return recomputedShare(m_spec);
    }
    return 0;
}

/// Brings together, or adds up and shares, what the owners of one copy hold of so many parameters, in so many
/// collectives.
double StepModelBuilder::gatherOf(const ExpertSplit& parameters, double bytes, double pieces) const
{
    const auto among = [&](double numbers, const GroupPlace& owners) {
        return numbers > 0 ? pieces * gatherTime(numbers / pieces / m_tensor.ranks * bytes, owners, m_node)
                           : 0;
    };
    return among(parameters.shared, m_holders.owners) + among(parameters.ofExperts, m_expertHolders.owners);
}

/// Of nothing yet.
BesideDemand StepModelBuilder::besideDemand() const
{
    BesideDemand demand;
    demand.gathersWait = !m_program.overlapsGathers;
    demand.onHost = m_node.sharesMemory;
    return demand;
}

/// What brings weights to where they are multiplied with.
BesideDemand StepModelBuilder::weightsOf(const ExpertSplit& parameters, double pieces) const
{
    BesideDemand demand = besideDemand();
    if (m_spec.memory.zeroStage == 3)
        demand.gathers = gatherOf(parameters, m_element, pieces);
    if (m_spec.memory.offloadParameters)
        demand.copies = (parameters.shared / m_holders.owners.ranks +
                         parameters.ofExperts / m_expertHolders.owners.ranks) /
                        m_tensor.ranks * m_element / m_node.hostLink;
    return demand;
}

/// From stage 2 on gradients go after every micro-batch.
double StepModelBuilder::gradientGather(const ExpertSplit& parameters, double pieces) const
{
    return m_spec.memory.zeroStage >= 2 && parameters.total() > 0
               ? gatherOf(parameters, m_program.gradientBytes, pieces)
               : 0;
}

/// The weights come for both passes.
StepModel::PassBeside StepModelBuilder::besideLayer(const LayerWork& layer) const
{
    const ExpertSplit parameters = splitOf(static_cast<double>(m_parts.perLayer), m_spec, Counted::All);
    const double pieces = m_program.gathersPerLayer;
    BesideDemand forward = weightsOf(parameters, pieces);
    BesideDemand backward = forward;
    if (m_spec.memory.recompute == RecomputeKind::Full && m_program.gathersForRecompute)
        backward.gathers += forward.gathers;
    backward.gathers +=
        gradientGather(splitOf(static_cast<double>(m_trained.perLayer), m_spec, Counted::Trained), pieces);
    forward.ring = ringTime(layer.forward);
    backward.ring = ringTime(layer.backward) + repeatedAttention() * forward.ring;
    const double kept = m_spec.memory.offloadActivations ? keptBytes() / m_node.hostLink : 0;
    forward.copies += kept;
    backward.copies += kept;
    return {forward, backward};
}

/// The weights come for both passes, though only the forward pass looks anything up.
StepModel::PassBeside StepModelBuilder::besideEmbeddings() const
{
    const ExpertSplit parameters{static_cast<double>(m_parts.embeddings)};
    BesideDemand backward = weightsOf(parameters, 1);
    backward.gathers += gradientGather({static_cast<double>(m_trained.embeddings)}, 1);
    return {weightsOf(parameters, 1), backward};
}

/// Its backward pass follows its forward pass: the weights are still there. A tied head multiplies with the
/// word embeddings, whose gradients go with those of the embeddings, or in a pipeline with a copy of them.
StepModel::PassBeside StepModelBuilder::besideHead() const
{
    const auto own = static_cast<double>(m_parts.head);
    const double tied = m_spec.model.sharesWordsWithHead() ? static_cast<double>(m_parts.words) : 0;
    BesideDemand backward = besideDemand();
    const bool hasCopy = m_pipeline.ranks > 1 && m_spec.model.trainsSharedWords();
    backward.gathers =
        gradientGather({static_cast<double>(m_trained.head + (hasCopy ? m_trained.words : 0))}, 1);
    return {weightsOf({own + tied}, 1), backward};
}

/// Parameters of a stage whose gradients are reduced and that are updated.
ExpertSplit StepModelBuilder::trainedOf(int layers, bool first, bool last) const
{
    ExpertSplit parameters =
        splitOf(static_cast<double>(m_trained.perLayer) * layers, m_spec, Counted::Trained, layers);
    if (first)
        parameters.shared += static_cast<double>(m_trained.embeddings);
    if (last)
        parameters.shared += static_cast<double>(m_trained.head);
    if (last && !first && m_spec.model.trainsSharedWords())
        parameters.shared += static_cast<double>(m_trained.words);
    return parameters;
}

/// From ZeRO stage 2 on the owners of a copy have added up after every micro-batch.
double StepModelBuilder::reductionTime(const ExpertSplit& parameters) const
{
    const int zero = m_spec.memory.zeroStage;
    const auto among = [&](double numbers, const HolderPlaces& holders) {
        if (numbers <= 0)
            return 0.0;
        const double bytes = numbers / m_tensor.ranks * m_program.gradientBytes;
        if (zero == 0)
            return allReduceTime(bytes, holders.all, m_node);
        return (zero == 1 ? gatherTime(bytes, holders.owners, m_node) : 0.0) +
               allReduceTime(bytes / holders.owners.ranks, holders.copies, m_node);
    };
    return among(parameters.shared, m_holders) + among(parameters.ofExperts, m_expertHolders);
}

/// Gradients are read twice; master weights and moments read and written; working weights written. On the
/// host each device has its share of the memory's bandwidth, and gradients come and weights go by its link.
double StepModelBuilder::updateTime(const ExpertSplit& parameters) const
{
    const MemorySpec& memory = m_spec.memory;
    const auto among = [&](const HolderPlaces& holders) {
        return memory.zeroStage >= 1 ? holders.owners.ranks : 1;
    };
    const double mine =
        (parameters.shared / among(m_holders) + parameters.ofExperts / among(m_expertHolders)) /
        m_tensor.ranks;
    const double numbers = 1 + static_cast<double>(stateNumbers(m_spec.optimizer));
    const double bytes = mine * (kGradientReads + kNumberTraffic * numbers + m_element);
    if (!memory.offloadOptimizer && !m_node.sharesMemory)
        return bytes / (m_node.device.memoryBandwidth * m_node.device.trafficEfficiency);
    const double copied = memory.offloadOptimizer ? mine * (m_program.gradientBytes + m_element) : 0;
    return copied / m_node.hostLink + bytes / (m_node.hostBandwidth / m_node.devices);
}

/// After the update; ZeRO 3 brings weights to the passes instead.
double StepModelBuilder::weightGatherTime(const ExpertSplit& parameters) const
{
    const int zero = m_spec.memory.zeroStage;
    return zero == 1 || zero == 2 ? gatherOf(parameters, m_element, 1) : 0;
}

double StepModelBuilder::tiedTime(bool first, bool last) const
{
    if (!m_spec.model.trainsSharedWords() || first == last)
        return 0;
    const GroupPlace ends{2, std::min(2, m_pipeline.nodes), m_ranksPerNode};
    const int owners = m_spec.memory.zeroStage >= 2 ? m_holders.owners.ranks : 1;
    const double words =
        static_cast<double>(m_parts.words) / m_tensor.ranks / owners * m_program.gradientBytes;
    return allReduceTime(words, ends, m_node);
}

StepModel::Stage StepModelBuilder::stageOf(int layers, bool first, bool last) const
{
    const ExpertSplit parameters = trainedOf(layers, first, last);
    return {layers,
            first,
            last,
            reductionTime(parameters),
            updateTime(parameters),
            weightGatherTime(parameters),
            tiedTime(first, last)};
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

/// Of the ranks on a host that computes, which share its caches and memory, or of the replicas on a node of
/// several.
double StepModelBuilder::sharingDoublings(int ranksHere) const
{
    if (m_node.sharesMemory)
        return std::log2(ranksHere);
    return m_data.nodes > 1 ? std::log2(static_cast<double>(m_data.ranks) / m_data.nodes) : 0;
}

StepModel StepModelBuilder::build(StepSchedule schedule, const std::vector<int>& layerCounts) const
{
    StepModel model(std::move(schedule));
    if (m_node.calibration)
        model.m_coefficients = m_node.calibration->coefficients;
    const WorkRules rules{m_program.layerKernels, m_node.sharesMemory ? kWidenedElement : 0};
    const LayerWork layer = layerWork(m_spec, m_shape, rules);
    const HeadWork head = headWork(m_spec, m_shape);
    model.m_forward = demandOf(layer.forward);
    model.m_backward = demandOf(layer.backward);
    model.m_attentionCore = demandOf(layer.attentionCore);
    model.m_embeddings = demandOf(embeddingsWork(m_spec, m_shape));
    model.m_headForward = demandOf(head.forward);
    model.m_headBackward = demandOf(head.backward);
    model.m_besideLayer = besideLayer(layer);
    model.m_besideEmbeddings = besideEmbeddings();
    model.m_besideHead = besideHead();
    for (std::size_t i = 0; i < layerCounts.size(); ++i)
        model.m_stages.push_back(stageOf(layerCounts[i], i == 0, i + 1 == layerCounts.size()));
    model.m_recomputed = m_spec.memory.recompute == RecomputeKind::Full ? recomputedShare(m_spec) : 0;
    model.m_recomputesCore = m_spec.memory.recompute == RecomputeKind::Selective;
    const bool isPipeline = layerCounts.size() > 1;
    model.m_overlapsReductions = !m_node.sharesMemory && (isPipeline ? m_program.overlapsReductionsOfStages
                                                                     : m_program.overlapsReductions);
    const ExpertSplit trained = trainedOf(layerCounts.front(), true, layerCounts.size() == 1);
    const double gradients = trained.total() / m_tensor.ranks * m_program.gradientBytes;
    model.m_lastBucket = std::min(1.0, static_cast<double>(m_spec.layout.bucketSize) / gradients);
    model.m_transfer = transferTime();
    model.m_overlapsTransfers = m_program.overlapsTransfers && !m_node.sharesMemory;
    model.m_microBatch = m_program.microBatchTime;
    model.m_slowestDevice = slowestOf(m_spec.layout.worldSize());
    const int ranksHere = std::min(m_spec.layout.worldSize(), m_ranksPerNode);
    model.m_ranksPerDevice = std::max(1.0, static_cast<double>(ranksHere) / m_node.devices);
    model.m_sharingDoublings = sharingDoublings(ranksHere);
    return model;
}

Result<StepModel> StepModel::create(const RunSpec& spec, const SequenceShape& shape, const NodeModel& node,
                                    const ProgramTraits& program, ScheduleDetail detail)
{
    TRAINYARD_TRY(const RankGrid grid, RankGrid::create(spec.layout));
    TRAINYARD_TRY(const std::vector<int> layerCounts, layersPerStage(spec, shape));
    TRAINYARD_TRY(StepSchedule schedule, StepSchedule::create(spec, detail));
    RunSpec onNode = spec;
    onNode.launch.device = resolvedDevice(spec.launch.device, node);
    return StepModelBuilder(onNode, shape, node, program, grid).build(std::move(schedule), layerCounts);
}

} // namespace trainyard
