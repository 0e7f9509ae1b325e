#include "engine/planner/layer_activations.h"

#include <algorithm>

#include "engine/planner/element_size.h"

namespace trainyard {

LayerActivations layerActivations(const RunSpec& spec, Bytes tokens)
{
    const ModelSpec& m = spec.model;
    const Bytes b = static_cast<Bytes>(spec.batch.micro);
    const Bytes e = static_cast<Bytes>(elementSize(spec.precision.compute));
    const Bytes h = static_cast<Bytes>(m.hidden);
    const Bytes cut = static_cast<Bytes>(spec.layout.tensor);
    const Bytes tokensCut = spec.layout.sequence ? cut : 1;
    // 16 e: Q, K, V and attention output, cut with the heads; the inputs of both products and two residual
    // sums, cut with the tokens; the feed-forward layer's two tensors of width 4h count as 8 of the 16.
    const Bytes feedForward = 2 * static_cast<Bytes>(m.intermediate) * e / cut;
    const Bytes rest = 4 * h * e / cut + (3 * h * e + 2 * h) / tokensCut;
    const Bytes perHead = spec.layout.context > 1 ? std::max<Bytes>(e, 4) : tokens * (2 * e + 1);
    const Bytes scores = static_cast<Bytes>(m.heads) * perHead / cut;
    return {tokens * b * h * e / tokensCut, tokens * b * scores, tokens * b * (rest + feedForward)};
}

Bytes keptActivations(const RunSpec& spec, const LayerActivations& layer, Bytes layers)
{
    switch (spec.memory.recompute) {
    case RecomputeKind::None:
        return layers * layer.whole();
    case RecomputeKind::Selective:
        return layers * (layer.input + layer.rest);
    case RecomputeKind::Full:
        const Bytes every = static_cast<Bytes>(spec.memory.recomputeEvery);
        const Bytes recomputed = (layers + every - 1) / every;
        return recomputed * layer.input + (layers - recomputed) * layer.whole();
    }
    return 0;
}

} // namespace trainyard
