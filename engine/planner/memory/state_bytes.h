#pragma once

namespace trainyard {

/// Bytes per parameter of weights, gradients and optimizer, as a program keeps them. Programs differ, and so
/// do papers: every term by itself.
struct StateBytes {
    double weights = 0; ///< in the compute type
    double gradients = 0;
    double optimizer = 0; ///< with master weights
};

/// Rajbhandari et al. (arXiv:1910.02054), section 3.1: float16 gradients, Adam's K = 12.
constexpr StateBytes kZeroPaperStates{2, 2, 12};
/// Ours in bfloat16 or float16 with two moments: gradients are summed in float32.
constexpr StateBytes kMixedPrecisionStates{2, 4, 12};

/// Of one rank among `ranks` that share, by section 5 there: stage 1 shares the optimizer's, 2 gradients as
/// well, 3 weights too. Without gaps and buckets (rank_states.h has those, exact, of a whole layout).
constexpr double stateBytes(double parameters, int zeroStage, int ranks, const StateBytes& each)
{
    const double weights = zeroStage >= 3 ? each.weights / ranks : each.weights;
    const double gradients = zeroStage >= 2 ? each.gradients / ranks : each.gradients;
    const double optimizer = zeroStage >= 1 ? each.optimizer / ranks : each.optimizer;
    return parameters * (weights + gradients + optimizer);
}

} // namespace trainyard
