#pragma once

#include <array>
#include <cstddef>

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

} // namespace trainyard
