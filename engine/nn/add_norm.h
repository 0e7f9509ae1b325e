#pragma once

#include <optional>

#include <torch/types.h>

#include "engine/nn/compute/compute.h"
#include "engine/nn/layers.h"

namespace trainyard {

/// Layer normalisation (Ba et al., arXiv:1607.06450) of a sum, in one pass, and in one pass back:
///     s = input + bias + residual,   y = weight * (s - mean(s)) / sqrt(var(s) + epsilon) + weights.bias
/// input and residual [T, N]; bias [N]; weights of a layer norm; bias and residual may be undefined. Mean and
/// variance in float32 at least. With a dropout s = dropout(input + bias) + residual.
at::Tensor addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                   const NormWeights& weights, double epsilon, const Compute& compute,
                   const std::optional<RowDropout>& dropout = std::nullopt);

} // namespace trainyard
