#include "engine/planner/memory/layer_activations.h"

#include <cmath>

#include "engine/planner/memory/layer_tensors.h"

namespace trainyard {

// Queries, keys, values and outputs of the heads; what the feed-forward layer keeps; the inputs of the norms
// and of the products before heads and feed-forward layer, of which one is the layer's input.
LayerActivations layerActivations(const RunSpec& spec, Bytes tokens, const ActivationRules& rules)
{
    const LayerTensors z = layerTensors(spec, tokens);
    const Bytes ofProducts = rules.gatheredInputs ? z.inputKept + z.middleKept : 2 * z.hidden;
    const Bytes statistics = rules.statistics ? 2 * z.statistics : 0;
    return {z.hidden, z.scoresKept,
            3 * z.heads + z.contextKept + z.innerKept + z.hidden + ofProducts + 2 * z.mask + statistics +
                z.besides - z.shared + z.adapters};
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

double recomputedShare(const RunSpec& spec)
{
    return std::ceil(static_cast<double>(spec.model.layers) / spec.memory.recomputeEvery) / spec.model.layers;
}

} // namespace trainyard
