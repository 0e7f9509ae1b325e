#include "engine/planner/memory/memory_model.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "engine/planner/layout/shape.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/layer_tensors.h"
#include "engine/planner/memory/rank_activations.h"
#include "engine/planner/memory/rank_states.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

constexpr Bytes kBeyondCounting = Bytes{1} << 62; ///< told of activations that are more than can be counted
/// Of cuBLAS, which LibTorch gives it on Hopper and later (CUDABlas.cpp); on earlier devices 8 MiB.
constexpr Bytes kProductWorkspace = Bytes{32} << 20;
constexpr Bytes kStepsHeld = 3; ///< of samples: two that were read ahead, and the one in use

Bytes& at(MemoryByCategory& bytes, MemoryCategory category)
{
    return bytes[static_cast<std::size_t>(category)];
}

Bytes dividedUp(Bytes number, Bytes parts)
{
    return (number + parts - 1) / parts;
}

/// Of master weights and optimizer state while training goes on. Ranks that update the same share it.
Bytes checkpointCopy(const RunSpec& spec, const RankStates& states, Bytes master)
{
    const bool copies = spec.checkpoint.asynchronous && spec.checkpoint.everySteps > 0;
    const ParallelLayout& layout = spec.layout;
    const auto share = [&](std::int64_t numbers, int holders, int shard) {
        return dividedUp(static_cast<Bytes>(numbers),
                         static_cast<Bytes>(spec.memory.zeroStage == 0 ? holders : holders / shard));
    };
    const Bytes written =
        share(states.updated - states.updatedOfExperts, layout.holders(), layout.shardRanks()) +
        share(states.updatedOfExperts, layout.expertCopies(), layout.expertShardRanks());
    return copies ? written * (1 + stateNumbers(spec.optimizer)) * master : 0;
}

/// A form asks with every key that is typed, also with numbers that validate() refuses: those that would be
/// divided by are at least 1 here, and those that are counted up to no more than any cluster has.
RunSpec withinReason(RunSpec spec)
{
    const auto limit = [](int& value, int most) { value = std::clamp(value, 1, std::max(1, most)); };
    limit(spec.model.layers, kMaxLayers);
    limit(spec.model.hidden, kMaxWidth);
    limit(spec.model.heads, kMaxWidth);
    spec.model.keyValueHeads = std::clamp(spec.model.keyValueHeads, 0, spec.model.heads);
    spec.model.headWidth = std::clamp(spec.model.headWidth, 0, kMaxWidth / spec.model.heads);
    spec.model.positionOffset = std::clamp(spec.model.positionOffset, 0, kMaxEntries);
    limit(spec.model.intermediate, kMaxWidth);
    spec.model.experts.count = std::clamp(spec.model.experts.count, 0, kMaxExperts);
    limit(spec.model.experts.perToken, std::max(1, spec.model.experts.count));
    limit(spec.model.experts.every, spec.model.layers);
    spec.model.experts.width = std::clamp(spec.model.experts.width, 0, kMaxWidth);
    limit(spec.model.vocabulary, kMaxEntries);
    limit(spec.model.maxPositions, kMaxEntries);
    limit(spec.layout.context, kMaxRanks);
    limit(spec.layout.data, kMaxRanks / spec.layout.context);
    spec.layout.expert =
        std::gcd(std::max(1, spec.layout.expert), std::gcd(spec.layout.data, spec.model.experts.count));
    spec.layout.shard = std::gcd(std::max(0, spec.layout.shard), spec.layout.holders());
    limit(spec.layout.tensor, kMaxRanks);
    limit(spec.layout.pipeline, spec.model.layers);
    limit(spec.layout.virtualStages,
          spec.layout.pipeline == 1 ? 1 : spec.model.layers / spec.layout.pipeline);
    limit(spec.memory.recomputeEvery, kMaxLayers);
    limit(spec.batch.micro, kMaxSequences);
    limit(spec.batch.accumulation, std::numeric_limits<int>::max());
    spec.memory.offloadHorizon = std::max(0, spec.memory.offloadHorizon);
    return spec;
}

/// Whether a rank's activations or samples may be more bytes than a number holds: in floating point, and with
/// more of each tensor than there is.
bool isBeyondCounting(const RunSpec& spec, const SequenceShape& shape)
{
    constexpr double kBytesOfEach = 64;
    const ModelSpec& m = spec.model;
    const double tokens = static_cast<double>(spec.batch.micro) * shape.length;
    const double scores = fusesAttention(spec) ? m.heads : static_cast<double>(m.heads) * shape.length;
    const double ofExperts =
        m.experts.isOn() ? m.experts.perToken * (double(m.hidden) + m.expertWidth()) + m.experts.count : 0;
    const double widest = static_cast<double>(m.hidden) + m.intermediate + m.vocabulary + scores + ofExperts;
    const double microBatches = spec.batch.accumulation;
    const double layers = spec.layout.pipeline == 1 ? m.layers : m.layers * microBatches;
    const double most = kBytesOfEach * tokens * std::max(widest * layers, microBatches);
    return most > static_cast<double>(kBeyondCounting);
}

/// Of each stage; as if they were equal where the specification's partition cannot be.
std::vector<int> layerCounts(const RunSpec& spec, const SequenceShape& shape)
{
    const auto counts = layersPerStage(spec, shape);
    if (counts.ok())
        return *counts;
    const auto each =
        dividedUp(static_cast<Bytes>(spec.model.layers), static_cast<Bytes>(spec.layout.stages()));
    return std::vector(static_cast<std::size_t>(spec.layout.stages()), static_cast<int>(each));
}

void add(MemoryByCategory& bytes, const MemoryByCategory& more)
{
    std::ranges::transform(bytes, more, bytes.begin(), std::plus<>());
}

Bytes sumOf(const MemoryByCategory& bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

Bytes deviceSumOf(const MemoryByCategory& bytes)
{
    return sumOf(bytes) - bytes[static_cast<std::size_t>(MemoryCategory::Host)];
}

/// What decides which of two moments or ranks holds more.
Bytes countedOn(const RunSpec& spec, const MemoryByCategory& bytes)
{
    return spec.launch.device == DeviceKind::Cpu ? sumOf(bytes) : deviceSumOf(bytes);
}

MemoryByCategory residentOf(const RunSpec& spec, const SequenceShape& shape, const RankStates& states)
{
    MemoryByCategory bytes = states.kept;
    const Bytes sequences =
        kStepsHeld * static_cast<Bytes>(spec.batch.micro) * static_cast<Bytes>(spec.batch.accumulation);
    at(bytes, MemoryCategory::Data) = sequences * static_cast<Bytes>(shape.length) * 3 * 8;
    at(bytes, MemoryCategory::Other) = checkpointCopy(spec, states, wideSize(spec.precision.compute));
    if (spec.launch.device == DeviceKind::Cuda)
        at(bytes, MemoryCategory::Activations) = kProductWorkspace;
    return bytes;
}

/// Host memory is apart, and counts at its own peak, unless it is the same memory.
RankMemory memoryOf(const RunSpec& spec, const SequenceShape& shape, const std::vector<int>& counts, int rank,
                    NarrowProducts products)
{
    const RankStates states = largestRankStates(spec, counts, rank);
    if (isBeyondCounting(spec, shape)) {
        RankMemory most{states.kept, states.kept};
        at(most.peak, MemoryCategory::Activations) = kBeyondCounting;
        return most;
    }
    const RankActivations activations(spec, shape, counts, rank, products);
    RankMemory memory{residentOf(spec, shape, states), {}};
    Bytes onHost = 0;
    for (std::size_t i = 0; i < kStepMoments; ++i) {
        MemoryByCategory bytes = memory.resident;
        add(bytes, states.passing[i]);
        add(bytes, activations.at(static_cast<StepMoment>(i)));
        onHost = std::max(onHost, at(bytes, MemoryCategory::Host));
        if (countedOn(spec, bytes) > countedOn(spec, memory.peak))
            memory.peak = bytes;
    }
    if (spec.launch.device != DeviceKind::Cpu)
        at(memory.peak, MemoryCategory::Host) = onHost;
    return memory;
}

/// Only those that this specification rests on.
std::vector<std::string> assumptionsOf(const RunSpec& spec, NarrowProducts products)
{
    const MemorySpec& memory = spec.memory;
    std::vector<std::string> said;
    const auto say = [&said](bool applies, const char* sentence) {
        if (applies)
            said.emplace_back(sentence);
    };
    say(spec.precision.compute != ComputeType::Float32, "Weights include the float32 master copy.");
    say(true, "Gradients are summed in float32.");
    say(true, "AdamW, LAMB and LANS keep two moments per parameter in the master type, SGD its momentum.");
    say(memory.zeroStage > 0,
        "ZeRO 1 shards master weights and moments over the data-parallel and context-parallel ranks, ZeRO 2 "
        "also gradients, ZeRO 3 all weights: two neighbouring parts of the model are gathered at a time.");
    say(memory.zeroStage > 0 && spec.layout.shardRanks() < spec.layout.holders(),
        "Each group of layout.shard ranks has a copy of what ZeRO shards.");
    say(true, "Weights, gradients and optimizer state include the alignment gaps of tensors and buckets.");
    say(spec.layout.pipeline > 1, "In a pipeline, the plan is for the rank with the highest peak.");
    say(spec.layout.expert > 1,
        "The plan is for the busiest of the ranks that share experts, with a tenth more than "
        "an even share of the tokens.");
    say(true, "The peak is at the moment of a step with the most memory in use: in the head, in a layer, or "
              "in the update.");
    say(!spec.model.isDecoder(), "Activations assume that every masked position is used.");
    say(memory.recompute != RecomputeKind::None, "A recomputed layer is counted in full.");
    say(spec.batch.packing, "Packed micro-batches are planned as if no row had padding.");
    say(spec.checkpoint.asynchronous,
        "An asynchronous checkpoint needs a copy of the state, shared among the data-parallel ranks.");
    say(spec.layout.context > 1,
        "Context parallelism: each rank holds only its own tokens, and two blocks of the ring's keys and "
        "values with their gradients; all masked positions of a sequence may be on one rank.");
    say(memory.offloadActivations || memory.offloadOptimizer || memory.offloadParameters,
        "Offloaded data is in host memory; on a CPU rank that is the same memory.");
    say(products == NarrowProducts::Widened,
        "CPUs without bfloat16 instructions: the current matrix product has a float32 copy of its result.");
    say(spec.launch.device == DeviceKind::Cuda, "On CUDA the matrix library has a workspace of 32 MiB.");
    say(true, "Not counted: the program and its libraries, temporary buffers of the matrix library.");
    return said;
}

} // namespace

Bytes MemoryEstimate::total() const
{
    return sumOf(bytes);
}

Bytes MemoryEstimate::residentTotal() const
{
    return sumOf(resident);
}

Bytes MemoryEstimate::onDevice() const
{
    return deviceSumOf(bytes);
}

std::vector<RankMemory> memoryOfRanks(const RunSpec& asked, const SequenceShape& shape,
                                      NarrowProducts products)
{
    const RunSpec spec = withinReason(asked);
    const std::vector<int> counts = layerCounts(spec, shape);
    std::vector<RankMemory> ranks;
    for (int rank = 0; rank < spec.layout.pipeline; ++rank)
        ranks.push_back(memoryOf(spec, shape, counts, rank, products));
    return ranks;
}

std::vector<MemoryByCategory> memoryOfPipelineRanks(const RunSpec& spec, const SequenceShape& shape,
                                                    NarrowProducts products)
{
    std::vector<MemoryByCategory> peaks;
    for (const RankMemory& rank : memoryOfRanks(spec, shape, products))
        peaks.push_back(rank.peak);
    return peaks;
}

MemoryEstimate estimateMemory(const RunSpec& spec, const SequenceShape& shape, NarrowProducts products)
{
    MemoryEstimate estimate;
    for (const RankMemory& rank : memoryOfRanks(spec, shape, products)) {
        if (countedOn(spec, rank.peak) > countedOn(spec, estimate.bytes)) {
            estimate.bytes = rank.peak;
            estimate.resident = rank.resident;
        }
    }
    estimate.assumptions = assumptionsOf(spec, products);
    return estimate;
}

} // namespace trainyard
