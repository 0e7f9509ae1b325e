#pragma once

#include <torch/types.h>

namespace trainyard {

/// Sums over the rows of values [T, N], in float32 (float64): the gradient of a bias.
at::Tensor columnSums(const at::Tensor& values);

} // namespace trainyard
