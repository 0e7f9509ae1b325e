#pragma once

#include <torch/types.h>

namespace trainyard {

// Cross entropy of rows z of logits [M, C] against targets t [M], in float32 at least and without a copy of
// the logits:
//     loss = log(sum_j e^z_j) - z_t,   its gradient = softmax(z) - onehot(t)

struct RowLosses {
    at::Tensor sum;       ///< of the losses of all rows, a scalar in float32 (float64)
    at::Tensor logSums_M; ///< log(sum_j e^z_j)
};
RowLosses rowLosses(const at::Tensor& logits_MC, const at::Tensor& targets_M);

/// scale times the gradient of the sum, in the type of the logits.
at::Tensor rowLossGradient(const at::Tensor& logits_MC, const at::Tensor& targets_M,
                           const at::Tensor& logSums_M, double scale);

} // namespace trainyard
