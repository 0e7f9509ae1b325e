#include "engine/planner/memory/layer_tensors.h"

#include <algorithm>

#include "engine/planner/layout/shape.h"

namespace trainyard {

namespace {

/// Of one score: the probability, and with dropout its mask and what is left of it.
Bytes keptOfScore(const ModelSpec& model, Bytes e)
{
    return model.attentionDropout > 0 ? 2 * e + 1 : e;
}

/// The input and the output of the activation; of a gated one both halves, the gate's and their product.
Bytes innerKept(const ModelSpec& model)
{
    return model.activation == Activation::Swiglu ? 4 : 2;
}

} // namespace

Bytes wideSize(ComputeType type)
{
    return std::max<Bytes>(4, static_cast<Bytes>(elementSize(type)));
}

LayerTensors layerTensors(const RunSpec& spec, Bytes tokens)
{
    const ModelSpec& m = spec.model;
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes cut = static_cast<Bytes>(spec.layout.tensor);
    const Bytes all = static_cast<Bytes>(spec.batch.micro) * tokens;
    const Bytes here = spec.layout.sequence ? all / cut : all;
    const Bytes h = static_cast<Bytes>(m.hidden);
    const Bytes rows = all * static_cast<Bytes>(m.heads) / cut; // of queries, over the heads
    LayerTensors z;
    z.hidden = here * h * e;
    z.gathered = all * h * e;
    z.heads = z.gathered / cut;
    z.inner = all * static_cast<Bytes>(m.intermediate) * e / cut;
    z.innerKept = innerKept(m) * z.inner;
    z.scores = rows * tokens * e;
    const bool oneNumberPerQuery = spec.layout.context > 1 || fusesAttention(spec);
    z.scoresKept =
        oneNumberPerQuery ? rows * wideSize(spec.precision.compute) : rows * tokens * keptOfScore(m, e);
    z.mask = m.dropout > 0 ? here * h : 0;
    z.statistics = here * 2 * wideSize(spec.precision.compute);
    return z;
}

} // namespace trainyard
