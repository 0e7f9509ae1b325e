#include "engine/training/replica.h"

#include <cmath>
#include <numeric>
#include <span>

#include "engine/comm/phase_clock.h"
#include "engine/comm/process_groups.h"
#include "engine/memory/memory_scope.h"
#include "engine/model/model_parameters.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/tensor_memory.h"
#include "engine/optim/gradient_norm.h"
#include "engine/parallel/context/ring_attention.h"
#include "engine/parallel/offload/offload_runner.h"
#include "engine/parallel/recompute/recompute_runner.h"
#include "engine/parallel/zero/gathering_runner.h"
#include "engine/parallel/zero/part_gatherer.h"
#include "engine/planner/layout/stage_costs.h"

namespace trainyard {

namespace {

/// Brings the working weights that each owner has updated to every rank that holds them, bucket by bucket
/// (the end of a ZeRO 1 or 2 step): the first `buckets` of them. Nothing to do where a bucket has one owner.
void gatherWeights(ParameterStore& parameters, const Holders& holders, std::size_t buckets)
{
    const PhaseScope phase(StepPhase::Reduce);
    const at::Tensor& working = parameters.weights().whole();
    std::vector<Work> works; // all buckets are sent before the first wait, to keep the network busy
    for (const Bucket& bucket : std::span(parameters.layout().buckets()).first(buckets)) {
        if (bucket.owner.ranks > 1)
            works.push_back(holders.of(bucket.isOfExperts)
                                .gatherAsync(memoryOf(working.narrow(0, bucket.begin, bucket.size()))));
    }
    for (Work& work : works)
        work.wait();
}

Holders holdersOf(const RunSpec& spec, const ProcessGroups& groups)
{
    return groups.holders(spec.memory.zeroStage > 0);
}

/// True when the data-parallel ranks shard the tensors that this ZeRO stage adds.
bool sharesFrom(int stage, const RunSpec& spec, const ProcessGroups& groups)
{
    return spec.memory.zeroStage >= stage && holdersOf(spec, groups).of(false).ownerShare().ranks > 1;
}

/// True with ZeRO 3 when weights are gathered part by part, from other ranks or from this host's memory.
bool shardsWeights(const RunSpec& spec, const ProcessGroups& groups)
{
    return sharesFrom(3, spec, groups) || (spec.memory.zeroStage >= 3 && spec.memory.offloadParameters);
}

Placement placementOf(const RunSpec& spec, const Device& device)
{
    return {.device = device,
            .offloadsOptimizer = spec.memory.offloadOptimizer,
            .offloadsParameters = spec.memory.offloadParameters};
}

Sharding shardingOf(const RunSpec& spec, const ProcessGroups& groups)
{
    const auto elementBytes = static_cast<Bytes>(at::elementSize(masterScalarType(spec.precision.compute)));
    Sharding sharding{.tensor = shareIn(*groups.tensor),
                      .expert = shareIn(*groups.expert),
                      .owner = holdersOf(spec, groups).of(false).ownerShare(),
                      .expertOwner = holdersOf(spec, groups).of(true).ownerShare(),
                      .bucketElements = static_cast<std::int64_t>(spec.layout.bucketSize / elementBytes)};
    sharding.bucketPerPart = shardsWeights(spec, groups);
    return sharding;
}

TensorParallel tensorParallelOf(const RunSpec& spec, const ProcessGroups& groups)
{
    return {groups.tensor->size().value > 1 ? groups.tensor.get() : nullptr, spec.layout.sequence};
}

ExpertParallel expertParallelOf(const ProcessGroups& groups, ExpertTally& tally)
{
    return {groups.expert->size().value > 1 ? groups.expert.get() : nullptr, &tally};
}

GradientReducer::TensorGroup tensorGroupOf(const RunSpec& spec, const ProcessGroups& groups)
{
    const TensorParallel parallel = tensorParallelOf(spec, groups);
    return {parallel.group, parallel.slicesTokens(), spec.model.layers};
}

std::unique_ptr<ParameterStore> makeParameters(const RunSpec& spec, const StageRange& range,
                                               const ProcessGroups& groups, const Device& device)
{
    const MemoryScope scope(MemoryCategory::Weights);
    auto parameters = std::make_unique<ParameterStore>(
        modelParameters(spec.model, range), spec.precision.compute, shardingOf(spec, groups),
        sharesFrom(2, spec, groups) ? GradientResidence::Sharded : GradientResidence::Whole,
        shardsWeights(spec, groups) ? WeightResidence::Sharded : WeightResidence::Whole,
        placementOf(spec, device));
    parameters->initialize(spec.seed, spec.model.initializerRange);
    return parameters;
}

std::unique_ptr<PartGatherer> makeGatherer(const RunSpec& spec, ParameterStore& parameters,
                                           const ProcessGroups& groups)
{
    if (parameters.weights().residence() == WeightResidence::Whole)
        return nullptr;
    return std::make_unique<PartGatherer>(parameters, holdersOf(spec, groups), spec.model);
}

/// Innermost first: gathering wraps recomputation, because recomputed layers need their weights too.
std::vector<std::unique_ptr<LayerRunner>> makeRunners(const RunSpec& spec, const ParameterStore& parameters,
                                                      PartGatherer* gatherer)
{
    std::vector<std::unique_ptr<LayerRunner>> runners;
    runners.push_back(std::make_unique<RecomputeRunner>(spec.memory, spec.model.layers));
    if (spec.memory.offloadActivations)
        runners.push_back(
            std::make_unique<OffloadRunner>(spec.memory, spec.model.layers, parameters, *runners.back()));
    if (gatherer)
        runners.push_back(std::make_unique<GatheringRunner>(*gatherer, *runners.back()));
    return runners;
}

std::unique_ptr<const ContextParallel> makeContext(const ProcessGroups& groups)
{
    if (groups.context->size().value == 1)
        return nullptr;
    return std::make_unique<const RingAttention>(*groups.context);
}

std::unique_ptr<Optimizer> makeCountedOptimizer(const RunSpec& spec,
                                                const std::vector<OptimizedTensor>& tensors,
                                                const LogicalSums& sums, const UpdateKernels& kernels)
{
    const MemoryScope scope(spec.memory.offloadOptimizer ? MemoryCategory::Host : MemoryCategory::Optimizer);
    return makeOptimizer(spec.optimizer, tensors, sums, kernels);
}

/// Returns the layers of stage `stage`, which follow those of the stages before it.
StageRange rangeOf(const std::vector<int>& layerCounts, int stage)
{
    const int first = std::accumulate(layerCounts.begin(), layerCounts.begin() + stage, 0);
    return {stage == 0, first, first + layerCounts[static_cast<std::size_t>(stage)],
            stage + 1 == static_cast<int>(layerCounts.size())};
}

/// Through host memory, where a device holds the tensor.
void broadcastTensor(ProcessGroup& group, const at::Tensor& tensor)
{
    const at::Tensor onHost = tensor.cpu();
    group.broadcast(memoryOf(onHost));
    tensor.copy_(onHost);
}

std::vector<ParameterStore*> storesOf(const std::vector<std::unique_ptr<ModelChunk>>& chunks)
{
    std::vector<ParameterStore*> stores;
    for (const auto& chunk : chunks)
        stores.push_back(&chunk->parameters());
    return stores;
}

} // namespace

Share shareIn(const ProcessGroup& group)
{
    return {group.rank().value, group.size().value};
}

ModelChunk::ModelChunk(const RunSpec& spec, const StageRange& range, const ProcessGroups& groups,
                       const Device& device)
    : m_parameters(makeParameters(spec, range, groups, device))
    , m_gatherer(makeGatherer(spec, *m_parameters, groups))
    , m_runners(makeRunners(spec, *m_parameters, m_gatherer.get()))
    , m_context(makeContext(groups))
    , m_tally(std::make_unique<ExpertTally>())
    , m_stage(std::make_unique<const TransformerStage>(
          spec.model, range, *m_parameters, *m_runners.back(),
          StageSharing{tensorParallelOf(spec, groups), expertParallelOf(groups, *m_tally), m_context.get()}))
    , m_sums(*m_parameters, groups, holdersOf(spec, groups))
    , m_kernels(spec.memory.offloadOptimizer ? processorUpdates() : updatesOf(device))
    , m_tensors(optimizedTensors(*m_parameters))
    , m_optimizer(makeCountedOptimizer(spec, m_tensors, m_sums, m_kernels))
    , m_state(std::make_unique<TrainingState>(*m_parameters, m_optimizer.get()))
    , m_reducer(std::make_unique<GradientReducer>(*m_parameters, holdersOf(spec, groups),
                                                  tensorGroupOf(spec, groups)))
{
}

ModelChunk::~ModelChunk() = default;

double ModelChunk::squaredGradientNorm() const
{
    return trainyard::squaredGradientNorm(m_tensors, m_sums, m_kernels);
}

void ModelChunk::update(double learningRate, double gradientScale)
{
    if (m_gatherer)
        m_gatherer->releaseAll();
    m_parameters->beginUpdate();
    m_optimizer->step(learningRate, gradientScale);
    m_parameters->endUpdate();
}

void ModelChunk::shareWeights(const Holders& holders, SharedWeights which)
{
    const FlatLayout& layout = m_parameters->layout();
    if (m_gatherer)
        m_gatherer->releaseAll();
    else
        gatherWeights(*m_parameters, holders,
                      which == SharedWeights::All ? layout.buckets().size() : layout.trainedBuckets());
}

Result<std::unique_ptr<Replica>> Replica::create(const RunSpec& spec, const SequenceShape& shape,
                                                 const ProcessGroups& groups, const Device& device)
{
    std::vector<int> layerCounts{spec.model.layers};
    if (spec.layout.pipeline > 1) {
        TRAINYARD_TRY(layerCounts, layersPerStage(spec, shape));
    }
    std::vector<std::unique_ptr<ModelChunk>> chunks;
    for (int stage = groups.coordinates.pipeline; stage < static_cast<int>(layerCounts.size());
         stage += spec.layout.pipeline)
        chunks.push_back(std::make_unique<ModelChunk>(spec, rangeOf(layerCounts, stage), groups, device));
    return std::unique_ptr<Replica>(new Replica(std::move(chunks), spec, groups));
}

Replica::Replica(std::vector<std::unique_ptr<ModelChunk>> chunks, const RunSpec& spec,
                 const ProcessGroups& groups)
    : m_chunks(std::move(chunks))
    , m_tied(storesOf(m_chunks), groups, spec.model.trainsSharedWords())
    , m_holders(holdersOf(spec, groups))
{
}

void Replica::beginGradients()
{
    for (const auto& chunk : m_chunks)
        chunk->parameters().beginGradients();
}

void Replica::reduceGradients()
{
    m_tied.sumGradients();
    for (const auto& chunk : m_chunks) {
        if (chunk->reducer().shardsGradients())
            continue; // after every micro-batch
        chunk->reducer().arm();
        chunk->reducer().finish();
    }
}

double Replica::gradientNorm() const
{
    double squares = 0;
    for (const auto& chunk : m_chunks)
        squares += chunk->squaredGradientNorm();
    return std::sqrt(squares);
}

void Replica::update(double learningRate, double gradientScale)
{
    for (const auto& chunk : m_chunks)
        chunk->update(learningRate, gradientScale);
    for (const auto& chunk : m_chunks)
        chunk->shareWeights(m_holders, SharedWeights::Trained);
}

void Replica::shareWeights()
{
    for (const auto& chunk : m_chunks)
        chunk->shareWeights(m_holders, SharedWeights::All);
}

void Replica::takeFromFirst(ProcessGroup& group)
{
    ModelChunk& chunk = *m_chunks.front();
    broadcastTensor(group, chunk.parameters().flatMasters());
    for (const StateTensor& state : chunk.optimizer().state())
        broadcastTensor(group, state.value);
    chunk.optimizer().setSteps(group.broadcastValue(chunk.optimizer().steps()));
    chunk.parameters().refreshWorkingCopy();
}

} // namespace trainyard
