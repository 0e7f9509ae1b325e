#pragma once

#include <torch/types.h>

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// The context [T, A D] of attention over queries, keys and values [T, 3 A D] in one operation of the device,
/// where it has one (Compute::attends()). Differentiable with respect to them.
at::Tensor attendTokens(const at::Tensor& queryKeyValue_T3H, const HeadShape& shape, double scale,
                        const ScoreInput& input, const Compute& compute);

} // namespace trainyard
