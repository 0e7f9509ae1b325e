#pragma once

#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a program keeps of a layer, where programs and papers differ.
struct ActivationRules {
    bool gatheredInputs = true; ///< with sequence parallelism, what was gathered for a product
    bool statistics = true;     ///< of both norms
};
constexpr ActivationRules kOurActivations{};
/// Korthikanti et al. (arXiv:2205.05198), section 4: slices are kept, and gathered once more.
constexpr ActivationRules kPaperActivations{.gatheredInputs = false, .statistics = false};

/// What a transformer layer keeps on one rank for its backward pass, in bytes, for one micro-batch.
/// By the paper's rules, with two bytes per element, it is table 2 there:
///     s b h (10 + 24 / t + 5 a s / (h t)), with sequence parallelism s b h / t (34 + 5 a s / h)
struct LayerActivations {
    Bytes input = 0;     ///< all that a recomputed layer keeps
    Bytes attention = 0; ///< scores and probabilities: what selective recomputation leaves out; of a ring
                         ///< or a fused kernel one number per query
    Bytes rest = 0;

    Bytes whole() const { return input + attention + rest; }
};

/// `tokens` of each sequence of a micro-batch lie on this rank.
LayerActivations layerActivations(const RunSpec& spec, Bytes tokens,
                                  const ActivationRules& rules = kOurActivations);

/// Of so many layers, with what the specification recomputes left out.
Bytes keptActivations(const RunSpec& spec, const LayerActivations& layer, Bytes layers);

/// Of full recomputation: the share of the layers that compute everything again, which are the first one and
/// every recomputeEvery-th behind it.
double recomputedShare(const RunSpec& spec);

} // namespace trainyard
