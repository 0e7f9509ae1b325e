#pragma once

#include <torch/types.h>

#include "engine/nn/tensor_parallel.h"

namespace trainyard {

/// Rows [..., N] divided by their root mean square (Zhang and Sennrich, arXiv:1910.07467):
///     y = w * x / sqrt(mean(x^2) + epsilon),   w = weight, or 1 + weight with `isOffset`
/// In float32 at least. `columns`: where tensor-parallel ranks share the columns of a row, the mean is over
/// all of theirs, and weight [N] is this rank's share; tokens are whole then.
at::Tensor rmsNorm(const at::Tensor& input, const at::Tensor& weight, bool isOffset, double epsilon,
                   const TensorParallel& columns = {});

} // namespace trainyard
