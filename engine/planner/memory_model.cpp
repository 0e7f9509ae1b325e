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

Bytes layerActivations(const ModelSpec& m, Bytes b, Bytes s, Bytes e)
{
    const Bytes h = static_cast<Bytes>(m.hidden);
    // 16 e: QKV input, Q, K, V, attention output, two residual sums, feed-forward input; the feed-forward
    // layer's two tensors of width 4h count as 8 of the 16.
    const Bytes feedForward = 2 * static_cast<Bytes>(m.intermediate) * e;
    const Bytes rest = 8 * h * e + 2 * h;
    const Bytes scores = static_cast<Bytes>(m.heads) * s * (2 * e + 1);
    return s * b * (rest + feedForward + scores);
}

Bytes headActivations(const ModelSpec& m, Bytes b, Bytes predictions, Bytes e)
{
    const Bytes transform = 4 * static_cast<Bytes>(m.hidden) * e;
    const Bytes logits = 2 * static_cast<Bytes>(m.vocabulary) * std::max<Bytes>(e, 4);
    return b * predictions * (transform + logits);
}

/// Parameters whose master weights, gradients or moments one rank keeps, when they are shared from this ZeRO
/// stage on.
Bytes keptFrom(int stage, Bytes parameters, const RunSpec& spec)
{
    const Bytes owners = spec.memory.zeroStage >= stage ? static_cast<Bytes>(spec.layout.data) : 1;
    return (parameters + owners - 1) / owners;
}

/// Sharded gradients pass through the buffers of two buckets.
Bytes bucketBytes(Bytes parameters, Bytes master, const RunSpec& spec)
{
    const bool sharded = spec.memory.zeroStage >= 2 && spec.layout.data > 1;
    return sharded ? std::min(2 * spec.layout.bucketSize, parameters * master) : 0;
}

} // namespace

Bytes MemoryEstimate::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

MemoryEstimate estimateMemory(const RunSpec& spec, const SequenceShape& shape)
{
    const Bytes parameters = static_cast<Bytes>(parameterCount(spec.model));
    const Bytes e = static_cast<Bytes>(elementBytes(spec.precision.compute));
    const Bytes master = std::max<Bytes>(e, 4);
    const Bytes owned = keptFrom(1, parameters, spec);
    const Bytes b = static_cast<Bytes>(spec.batch.micro);
    const Bytes s = static_cast<Bytes>(shape.length);

    MemoryEstimate estimate;
    at(estimate.bytes, MemoryCategory::Weights) = parameters * e + (e < master ? owned * master : 0);
    at(estimate.bytes, MemoryCategory::Gradients) = keptFrom(2, parameters, spec) * master +
                                                    (e < master ? parameters * e : 0) +
                                                    bucketBytes(parameters, master, spec);
    at(estimate.bytes, MemoryCategory::Optimizer) = 2 * owned * master;
    at(estimate.bytes, MemoryCategory::Activations) =
        static_cast<Bytes>(spec.model.layers) * layerActivations(spec.model, b, s, e) +
        headActivations(spec.model, b, static_cast<Bytes>(shape.maxPredictions), e);
    at(estimate.bytes, MemoryCategory::Data) =
        2 * b * static_cast<Bytes>(spec.batch.accumulation) * s * 3 * 8;
    estimate.assumptions = {
        "Weights include the float32 master copy when the compute type is bfloat16.",
        "AdamW and LAMB keep two moments per parameter in the master type.",
        "ZeRO 1 shares master weights and moments among the data-parallel ranks, ZeRO 2 gradients as well.",
        "Activations: no recomputation; every masked position is used.",
        "Not counted: the program and its libraries, temporary buffers of the matrix library.",
    };
    return estimate;
}

} // namespace trainyard
