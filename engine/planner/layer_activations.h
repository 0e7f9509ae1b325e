#pragma once

#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a transformer layer keeps on one rank for its backward pass, in bytes, for one micro-batch.
/// With two bytes per element it is Korthikanti et al. (arXiv:2205.05198), table 2:
///     s b h (10 + 24 / t + 5 a s / (h t)), with sequence parallelism s b h / t (34 + 5 a s / h)
struct LayerActivations {
    Bytes input = 0;     ///< all that a recomputed layer keeps
    Bytes attention = 0; ///< scores and probabilities: what selective recomputation leaves out; of ring
                         ///< attention one number per query
    Bytes rest = 0;

    Bytes whole() const { return input + attention + rest; }
};

/// `tokens` of each sequence of a micro-batch lie on this rank.
LayerActivations layerActivations(const RunSpec& spec, Bytes tokens);

/// Of so many layers, with what the specification recomputes left out.
Bytes keptActivations(const RunSpec& spec, const LayerActivations& layer, Bytes layers);

} // namespace trainyard
