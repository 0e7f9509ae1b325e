#pragma once

#include <torch/types.h>

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// dropout(softmax(scores + bias)) over the keys of scores [B, A, Q, K], which it may overwrite.
/// Differentiable with respect to the scores.
at::Tensor attentionProbabilities(const at::Tensor& scores_BAQK, const ScoreInput& input,
                                  const Compute& compute);

} // namespace trainyard
