#include "engine/planner/memory_model.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/planner/element_size.h"
#include "engine/planner/layer_activations.h"
#include "engine/planner/parameter_parts.h"
#include "engine/planner/rank_states.h"
#include "engine/planner/stage_costs.h"
#include "engine/spec/context_share.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

constexpr Bytes kStepsHeld = 3; ///< of samples: two that were read ahead, and the one in use

Bytes& at(MemoryByCategory& bytes, MemoryCategory category)
{
    return bytes[static_cast<std::size_t>(category)];
}

Bytes dividedUp(Bytes number, Bytes parts)
{
    return (number + parts - 1) / parts;
}

/// What recomputation makes while one layer's backward pass runs.
Bytes recomputedActivations(const RunSpec& spec, const LayerActivations& layer)
{
    switch (spec.memory.recompute) {
    case RecomputeKind::None:
        return 0;
    case RecomputeKind::Selective:
        return layer.attention;
    case RecomputeKind::Full:
        return layer.attention + layer.rest;
    }
    return 0;
}

/// Packed sequences attend one by one: their outputs, and the gradients of their queries, keys and values,
/// are there twice while they are joined.
Bytes joinedSequences(const RunSpec& spec, Bytes b, Bytes s, Bytes e)
{
    const Bytes cut = static_cast<Bytes>(spec.layout.tensor);
    return spec.batch.packing ? s * b * 4 * static_cast<Bytes>(spec.model.hidden) * e / cut : 0;
}

Bytes headActivations(const RunSpec& spec, Bytes b, Bytes predictions, Bytes e)
{
    const ModelSpec& m = spec.model;
    const Bytes transform = 4 * static_cast<Bytes>(m.hidden) * e;
    // The logits and their gradient; where ranks share the vocabulary in float32 at least.
    const Bytes number = spec.layout.tensor > 1 ? std::max<Bytes>(e, 4) : e;
    const Bytes logits =
        2 * static_cast<Bytes>(m.vocabulary) * number / static_cast<Bytes>(spec.layout.tensor);
    return b * predictions * (transform + logits);
}

/// Layers of a pipeline rank's stages.
Bytes layersOf(const std::vector<int>& layerCounts, int ranks, int rank)
{
    Bytes layers = 0;
    for (auto stage = static_cast<std::size_t>(rank); stage < layerCounts.size();
         stage += static_cast<std::size_t>(ranks))
        layers += static_cast<Bytes>(layerCounts[stage]);
    return layers;
}

/// Micro-batches of all its layers whose activations a pipeline rank holds at once (planner/README.md).
Bytes microBatchesInFlight(const RunSpec& spec, int rank)
{
    const int ranks = spec.layout.pipeline;
    const int chunks = spec.layout.virtualStages;
    const int later = ranks - rank - 1;
    const auto atMost = [&](int microBatches) {
        return static_cast<Bytes>(std::min(microBatches, spec.batch.accumulation));
    };
    if (ranks == 1)
        return 1;
    switch (spec.layout.schedule) {
    case PipelineScheduleKind::GPipe:
        return static_cast<Bytes>(spec.batch.accumulation);
    case PipelineScheduleKind::OneForwardOneBackward:
        return atMost(later + 1);
    case PipelineScheduleKind::Interleaved:
        return atMost((2 * later + (chunks - 1) * ranks + chunks) / chunks);
    case PipelineScheduleKind::ZeroBubble:
        return atMost(ranks);
    }
    return 1;
}

/// Of master weights and optimizer state while training goes on. Each rank writes what it alone updates; what
/// data-parallel ranks all update they share.
Bytes checkpointCopy(const RunSpec& spec, const RankStates& states, Bytes master)
{
    const bool copies = spec.checkpoint.asynchronous && spec.checkpoint.everySteps > 0;
    const Bytes writers =
        spec.memory.zeroStage == 0 ? static_cast<Bytes>(spec.layout.data * spec.layout.context) : 1;
    const Bytes written = dividedUp(static_cast<Bytes>(states.updated), writers);
    return copies ? written * (1 + stateNumbers(spec.optimizer)) * master : 0;
}

/// A form asks with every key that is typed, also with numbers that validate() refuses: those that would be
/// divided by are at least 1 here, and those that are counted up to no more than any cluster has.
RunSpec withinReason(RunSpec spec)
{
    const auto limit = [](int& value, int most) { value = std::clamp(value, 1, std::max(1, most)); };
    limit(spec.model.layers, kMostLayers);
    limit(spec.model.hidden, kMostWidth);
    limit(spec.model.heads, kMostWidth);
    limit(spec.model.intermediate, kMostWidth);
    limit(spec.model.vocabulary, kMostEntries);
    limit(spec.model.maxPositions, kMostEntries);
    limit(spec.layout.context, kMostRanks);
    limit(spec.layout.data, kMostRanks / spec.layout.context);
    limit(spec.layout.tensor, kMostRanks);
    limit(spec.layout.pipeline, spec.model.layers);
    limit(spec.layout.virtualStages, spec.model.layers / spec.layout.pipeline);
    limit(spec.memory.recomputeEvery, kMostLayers);
    limit(spec.batch.accumulation, std::numeric_limits<int>::max());
    spec.memory.offloadHorizon = std::max(0, spec.memory.offloadHorizon);
    return spec;
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

void addStates(MemoryByCategory& bytes, const RankStates& states)
{
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] += states.kept[i] + states.passing[i];
}

/// Of a sequence, on the context-parallel rank that has most.
Bytes tokensHere(const RunSpec& spec, int length)
{
    const bool causal = spec.model.family == ModelFamily::Gpt;
    int most = 0;
    for (int rank = 0; rank < spec.layout.context; ++rank)
        most = std::max(most, tokensOfContextRank(length, rank, spec.layout.context, causal));
    return static_cast<Bytes>(most);
}

/// Keys and values of `tokens` that go round the ring in the backward pass, with the block that comes and the
/// one that goes: of the values themselves and of their gradients, which are sums.
Bytes ringBytes(const RunSpec& spec, Bytes tokens, Bytes e, Bytes master)
{
    if (spec.layout.context == 1)
        return 0;
    const Bytes block =
        2 * tokens * static_cast<Bytes>(spec.model.hidden) / static_cast<Bytes>(spec.layout.tensor);
    return 2 * block * (e + master);
}

/// Of the activations of `layers` layers: what stays on the device, and what waits in host memory. Offloaded
/// ones come back `offloadHorizon` layers ahead of the backward pass.
void addActivations(MemoryByCategory& bytes, const RunSpec& spec, const LayerActivations& layer, Bytes layers,
                    Bytes microBatches)
{
    const Bytes waiting = microBatches * keptActivations(spec, layer, layers);
    const bool offloads = spec.memory.offloadActivations;
    const Bytes ahead = std::min(static_cast<Bytes>(spec.memory.offloadHorizon) + 1, layers);
    at(bytes, MemoryCategory::Host) += offloads ? waiting : 0;
    at(bytes, MemoryCategory::Activations) += offloads ? keptActivations(spec, layer, ahead) : waiting;
}

MemoryByCategory memoryOf(const RunSpec& spec, const SequenceShape& shape, const std::vector<int>& counts,
                          int rank)
{
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes master = std::max<Bytes>(e, 4);
    const Bytes b = static_cast<Bytes>(spec.batch.micro);
    const Bytes s = static_cast<Bytes>(shape.length);
    const Bytes here = tokensHere(spec, shape.length);
    const LayerActivations layer = layerActivations(spec, here);
    const Bytes targets = std::min(here, static_cast<Bytes>(shape.targets(spec.model.family)));

    MemoryByCategory bytes{};
    const RankStates states = largestRankStates(spec, counts, rank);
    addStates(bytes, states);
    addActivations(bytes, spec, layer, layersOf(counts, spec.layout.pipeline, rank),
                   microBatchesInFlight(spec, rank));
    at(bytes, MemoryCategory::Activations) +=
        recomputedActivations(spec, layer) + joinedSequences(spec, b, s, e);
    if (rank + 1 == spec.layout.pipeline)
        at(bytes, MemoryCategory::Activations) += headActivations(spec, b, targets, e);
    at(bytes, MemoryCategory::Communication) = ringBytes(spec, b * here, e, master);
    at(bytes, MemoryCategory::Data) =
        kStepsHeld * b * static_cast<Bytes>(spec.batch.accumulation) * s * 3 * 8;
    at(bytes, MemoryCategory::Other) = checkpointCopy(spec, states, master);
    return bytes;
}

} // namespace

Bytes MemoryEstimate::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

Bytes MemoryEstimate::onDevice() const
{
    return total() - bytes[static_cast<std::size_t>(MemoryCategory::Host)];
}

std::vector<MemoryByCategory> memoryOfPipelineRanks(const RunSpec& asked, const SequenceShape& shape)
{
    const RunSpec spec = withinReason(asked);
    const std::vector<int> counts = layerCounts(spec, shape);
    std::vector<MemoryByCategory> ranks;
    for (int rank = 0; rank < spec.layout.pipeline; ++rank)
        ranks.push_back(memoryOf(spec, shape, counts, rank));
    return ranks;
}

MemoryEstimate estimateMemory(const RunSpec& spec, const SequenceShape& shape)
{
    MemoryEstimate estimate;
    for (const MemoryByCategory& bytes : memoryOfPipelineRanks(spec, shape)) {
        if (const MemoryEstimate rank{bytes, {}}; rank.onDevice() > estimate.onDevice())
            estimate = rank;
    }
    estimate.assumptions = {
        "Weights include the float32 master copy when the compute type is bfloat16 or float16; gradients are "
        "summed in float32.",
        "AdamW, LAMB and LANS keep two moments per parameter in the master type, SGD its momentum.",
        "ZeRO 1 shares master weights and moments among the data-parallel and context-parallel ranks, ZeRO 2 "
        "gradients as well, ZeRO 3 all weights: two neighbouring parts of the model are gathered at a time.",
        "Weights, gradients and optimizer state have the gaps that align tensors and buckets; of a pipeline "
        "the rank that holds most is planned for.",
        "Activations: every masked position is used, of a decoder every position; recomputation needs room "
        "for one layer more. Packed micro-batches are planned as if no row had padding.",
        "A checkpoint that is written while training goes on needs a copy of the state, of which each "
        "data-parallel rank has its share.",
        "Context parallelism: each rank's tokens alone, and of the ring two blocks of keys and values with "
        "their gradients; all masked positions of a sequence may lie on one rank.",
        "What is offloaded is in host memory, which on a processor is the same memory.",
        "Not counted: the program and its libraries, temporary buffers of the matrix library.",
    };
    return estimate;
}

} // namespace trainyard
