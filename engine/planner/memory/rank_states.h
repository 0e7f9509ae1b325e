#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/planner/layout/rank_grid.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The moments at which a rank's memory may be largest.
enum class StepMoment {
    Logits,      ///< the head has its logits and makes their gradient
    HeadWeights, ///< backward pass: the first gradients of weights are made, those of the logits still there
    FeedForward, ///< the backward pass enters the last layer's feed-forward part
    Attention,   ///< and its attention
    FirstLayers, ///< the backward pass enters the second layer: buckets of whole layers are on their way
    Update,      ///< no activations
};
constexpr std::size_t kStepMoments = 6;

template <typename Value>
using ByMoment = std::array<Value, kStepMoments>;

template <typename Value>
constexpr Value& at(ByMoment<Value>& values, StepMoment moment)
{
    return values[static_cast<std::size_t>(moment)];
}

/// Bytes of one rank's weights, gradients and optimizer state by category, gaps for alignment included: the
/// sizes that the engine allocates (nn/ParameterStore, optim/Moments). What is offloaded counts as
/// MemoryCategory::Host.
struct RankStates {
    MemoryByCategory kept{};              ///< from the first step to the last
    ByMoment<MemoryByCategory> passing{}; ///< besides: gathered weights, buckets of gradients
    std::int64_t updated = 0;             ///< parameters that the rank's optimizer moves
    std::int64_t updatedOfExperts = 0;    ///< of them those of experts that ranks share
};

/// `layerCounts`: of each stage, first stage first (layersPerStage()). Requires a valid specification.
RankStates rankStates(const RunSpec& spec, const std::vector<int>& layerCounts, const GridCoord& rank);

/// Of the rank that holds most among those of one pipeline rank, 0 <= pipeline < spec.layout.pipeline.
RankStates largestRankStates(const RunSpec& spec, const std::vector<int>& layerCounts, int pipeline);

/// Numbers that the optimizer keeps per parameter.
Bytes stateNumbers(const OptimizerSpec& optimizer);

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
/// well, 3 weights too. Without gaps and buckets (rankStates() has those, exact, for a whole layout).
constexpr double stateBytes(double parameters, int zeroStage, int ranks, const StateBytes& each)
{
    const double weights = zeroStage >= 3 ? each.weights / ranks : each.weights;
    const double gradients = zeroStage >= 2 ? each.gradients / ranks : each.gradients;
    const double optimizer = zeroStage >= 1 ? each.optimizer / ranks : each.optimizer;
    return parameters * (weights + gradients + optimizer);
}

} // namespace trainyard
