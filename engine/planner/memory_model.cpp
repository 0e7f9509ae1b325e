#include "engine/planner/memory_model.h"

#include <algorithm>
#include <numeric>

#include "engine/planner/parameter_parts.h"

namespace trainyard {

namespace {

Bytes& at(MemoryByCategory& bytes, MemoryCategory category)
{
    return bytes[static_cast<std::size_t>(category)];
}

int elementBytes(ComputeType type)
{
    return type == ComputeType::Float64 ? 8 : type == ComputeType::Float32 ? 4 : 2;
}

Bytes dividedUp(Bytes number, Bytes parts)
{
    return (number + parts - 1) / parts;
}

/// What a layer keeps for its backward pass.
struct LayerActivations {
    Bytes input = 0;     ///< all that a recomputed layer keeps
    Bytes attention = 0; ///< scores and probabilities: what selective recomputation leaves out
    Bytes rest = 0;

    Bytes whole() const { return input + attention + rest; }
};

LayerActivations layerActivations(const RunSpec& spec, Bytes b, Bytes s, Bytes e)
{
    const ModelSpec& m = spec.model;
    const Bytes h = static_cast<Bytes>(m.hidden);
    const Bytes cut = static_cast<Bytes>(spec.layout.tensor);
    const Bytes tokensCut = spec.layout.sequence ? cut : 1;
    // 16 e: Q, K, V and attention output, cut with the heads; the inputs of both products and two residual
    // sums, cut with the tokens; the feed-forward layer's two tensors of width 4h count as 8 of the 16.
    const Bytes feedForward = 2 * static_cast<Bytes>(m.intermediate) * e / cut;
    const Bytes rest = 4 * h * e / cut + (3 * h * e + 2 * h) / tokensCut;
    const Bytes scores = static_cast<Bytes>(m.heads) * s * (2 * e + 1) / cut;
    return {s * b * h * e / tokensCut, s * b * scores, s * b * (rest + feedForward)};
}

/// Of all layers of a rank, for one micro-batch; the layer that is being recomputed once more.
Bytes keptActivations(const RunSpec& spec, const LayerActivations& layer, Bytes layers)
{
    switch (spec.memory.recompute) {
    case RecomputeKind::None:
        return layers * layer.whole();
    case RecomputeKind::Selective:
        return layers * (layer.input + layer.rest);
    case RecomputeKind::Full:
        const Bytes recomputed = dividedUp(layers, static_cast<Bytes>(spec.memory.recomputeEvery));
        return recomputed * layer.input + (layers - recomputed) * layer.whole();
    }
    return 0;
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

Bytes headActivations(const RunSpec& spec, Bytes b, Bytes predictions, Bytes e)
{
    const ModelSpec& m = spec.model;
    const Bytes transform = 4 * static_cast<Bytes>(m.hidden) * e;
    const Bytes logits =
        2 * static_cast<Bytes>(m.vocabulary) * std::max<Bytes>(e, 4) / static_cast<Bytes>(spec.layout.tensor);
    return b * predictions * (transform + logits);
}

/// Layers of the pipeline rank that has most.
Bytes layersHere(const RunSpec& spec)
{
    const Bytes perStage =
        dividedUp(static_cast<Bytes>(spec.model.layers), static_cast<Bytes>(spec.layout.stages()));
    return perStage * static_cast<Bytes>(spec.layout.virtualStages);
}

/// Of a pass's layers those that keep their activations on the device at once. Offloaded ones come back
/// `offloadHorizon` layers ahead of the backward pass.
Bytes layersOnDevice(const RunSpec& spec)
{
    const Bytes ahead = static_cast<Bytes>(spec.memory.offloadHorizon) + 1;
    return spec.memory.offloadActivations ? std::min(ahead, layersHere(spec)) : layersHere(spec);
}

/// Parameters that the most loaded rank holds: with a pipeline that of the first or of the last stage, whose
/// tied head has a copy of the word embeddings.
Bytes parametersHere(const RunSpec& spec)
{
    const ParameterParts parts = parameterParts(spec.model);
    const std::int64_t copy = spec.model.tiedHead ? parts.words : 0;
    const std::int64_t ends = spec.layout.pipeline == 1 ? parts.embeddings + parts.head
                                                        : std::max(parts.embeddings, parts.head + copy);
    const Bytes held = layersHere(spec) * static_cast<Bytes>(parts.perLayer) + static_cast<Bytes>(ends);
    return dividedUp(held, static_cast<Bytes>(spec.layout.tensor));
}

/// Micro-batches whose activations the first stage holds at once (planner/README.md).
Bytes microBatchesInFlight(const RunSpec& spec)
{
    const int ranks = spec.layout.pipeline;
    const int microBatches = spec.batch.accumulation;
    if (ranks == 1)
        return 1;
    if (spec.layout.schedule == PipelineScheduleKind::GPipe)
        return static_cast<Bytes>(microBatches);
    const int warmUp = spec.layout.schedule == PipelineScheduleKind::Interleaved
                           ? ranks + (ranks - 1 + spec.layout.virtualStages - 1) / spec.layout.virtualStages
                           : ranks;
    return static_cast<Bytes>(std::min(warmUp, microBatches));
}

/// Elements of the weights under ZeRO 3, where each data-parallel rank owns an equal part of every part of
/// the model and two neighbouring parts are there at a time (engine/parallel/zero).
struct ShardedParameters {
    Bytes owned = 0;
    Bytes gathered = 0; ///< most working weights at once; a tied head needs the embeddings too
    Bytes reduced = 0;  ///< most gradients at once: of one part that is reduced and one that is computed
};

ShardedParameters shardedParameters(const RunSpec& spec)
{
    const ParameterParts parts = flatParts(spec.model, spec.layout.tensor, spec.layout.data);
    const std::int64_t layers = spec.model.layers;
    const std::int64_t inside = (layers > 1 ? 2 : 1) * parts.perLayer;
    const std::int64_t ends = parts.perLayer + std::max(parts.embeddings, parts.head);
    const std::int64_t atHead = parts.perLayer + parts.head + (spec.model.tiedHead ? parts.embeddings : 0);
    const std::int64_t all = parts.embeddings + layers * parts.perLayer + parts.head;
    return {static_cast<Bytes>(all / spec.layout.data), static_cast<Bytes>(std::max({inside, ends, atHead})),
            static_cast<Bytes>(std::max(inside, ends))};
}

bool sharesWeights(const RunSpec& spec)
{
    return spec.memory.zeroStage >= 3 && spec.layout.data > 1;
}

/// Parameters whose master weights, gradients or moments one rank keeps, when they are shared from this ZeRO
/// stage on.
Bytes keptFrom(int stage, Bytes parameters, const RunSpec& spec)
{
    const Bytes owners = spec.memory.zeroStage >= stage ? static_cast<Bytes>(spec.layout.data) : 1;
    return dividedUp(parameters, owners);
}

/// Numbers that the optimizer keeps per parameter.
Bytes stateNumbers(const OptimizerSpec& optimizer)
{
    if (optimizer.kind == OptimizerKind::Sgd)
        return optimizer.momentum > 0 ? 1 : 0;
    return 2;
}

/// Sharded gradients pass through the buffers of two buckets.
Bytes bucketBytes(Bytes parameters, Bytes master, const RunSpec& spec)
{
    const bool sharded = spec.memory.zeroStage >= 2 && spec.layout.data > 1;
    return sharded ? std::min(2 * spec.layout.bucketSize, parameters * master) : 0;
}

/// Of a rank's state while training goes on; data-parallel ranks share the writing.
Bytes checkpointCopy(const RunSpec& spec, Bytes state)
{
    const bool copies = spec.checkpoint.asynchronous && spec.checkpoint.everySteps > 0;
    return copies ? dividedUp(state, static_cast<Bytes>(spec.layout.data)) : 0;
}

/// Weights, gradients and optimizer state of a rank; `e` and `master`: bytes of an element of the compute
/// type and of the master type.
void addStates(MemoryByCategory& bytes, const RunSpec& spec, Bytes e, Bytes master)
{
    if (sharesWeights(spec)) {
        const ShardedParameters parameters = shardedParameters(spec);
        at(bytes, MemoryCategory::Weights) = parameters.owned * master + parameters.gathered * e;
        at(bytes, MemoryCategory::Gradients) = (parameters.owned + parameters.reduced) * master;
        at(bytes, MemoryCategory::Optimizer) = stateNumbers(spec.optimizer) * parameters.owned * master;
        return;
    }
    const Bytes parameters = parametersHere(spec);
    const Bytes owned = keptFrom(1, parameters, spec);
    at(bytes, MemoryCategory::Weights) = parameters * e + (e < master ? owned * master : 0);
    at(bytes, MemoryCategory::Gradients) =
        keptFrom(2, parameters, spec) * master + bucketBytes(parameters, master, spec);
    at(bytes, MemoryCategory::Optimizer) = stateNumbers(spec.optimizer) * owned * master;
}

} // namespace

Bytes MemoryEstimate::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

MemoryEstimate estimateMemory(const RunSpec& spec, const SequenceShape& shape)
{
    const Bytes e = static_cast<Bytes>(elementBytes(spec.precision.compute));
    const Bytes master = std::max<Bytes>(e, 4);
    const Bytes b = static_cast<Bytes>(spec.batch.micro);
    const Bytes s = static_cast<Bytes>(shape.length);
    const LayerActivations layer = layerActivations(spec, b, s, e);

    MemoryEstimate estimate;
    addStates(estimate.bytes, spec, e, master);
    const Bytes waiting = microBatchesInFlight(spec) * keptActivations(spec, layer, layersHere(spec));
    const bool offloads = spec.memory.offloadActivations;
    at(estimate.bytes, MemoryCategory::Host) = offloads ? waiting : 0;
    at(estimate.bytes, MemoryCategory::Activations) =
        (offloads ? keptActivations(spec, layer, layersOnDevice(spec)) : waiting) +
        recomputedActivations(spec, layer) +
        headActivations(spec, b, static_cast<Bytes>(shape.targets(spec.model.family)), e);
    at(estimate.bytes, MemoryCategory::Data) =
        2 * b * static_cast<Bytes>(spec.batch.accumulation) * s * 3 * 8;
    at(estimate.bytes, MemoryCategory::Other) =
        checkpointCopy(spec, parametersHere(spec) * (1 + stateNumbers(spec.optimizer)) * master);
    estimate.assumptions = {
        "Weights include the float32 master copy when the compute type is bfloat16 or float16; gradients are "
        "summed in float32.",
        "AdamW, LAMB and LANS keep two moments per parameter in the master type, SGD its momentum.",
        "ZeRO 1 shares master weights and moments among the data-parallel ranks, ZeRO 2 gradients as well, "
        "ZeRO 3 all weights: two neighbouring parts of the model are gathered at a time.",
        "Tensor parallelism cuts every tensor evenly: norms and some biases, which each rank holds, are left "
        "out.",
        "A pipeline's most loaded rank has the larger of the two ends and as many layers as any other.",
        "Activations: every masked position is used, of a decoder every position; recomputation needs room "
        "for one layer more.",
        "A checkpoint that is written while training goes on needs a copy of the state, of which each "
        "data-parallel rank has its share.",
        "Offloaded activations are in host memory, which on a processor is the same memory.",
        "Not counted: the program and its libraries, temporary buffers of the matrix library.",
    };
    return estimate;
}

} // namespace trainyard
