#pragma once

#include <torch/types.h>

#include "engine/nn/tensor_parallel.h"

namespace trainyard {

class Compute;

/// Sum over the rows of -log softmax(logits)[target], in float32 at least.
at::Tensor crossEntropySum(const at::Tensor& logits_MC, const at::Tensor& targets_M, const Compute& compute);

/// The same where each rank of a tensor-parallel group has the columns `vocabulary` of the logits (Shoeybi et
/// al., arXiv:1909.08053, section 3). `targets` are indices into the whole vocabulary; the result is the same
/// on every rank.
at::Tensor vocabularyCrossEntropySum(const at::Tensor& logits_MV, const at::Tensor& targets_M,
                                     IndexRange vocabulary, const TensorParallel& parallel,
                                     const Compute& compute);

/// How many rows have their largest logit at the target; of equal ones the first counts. Sharing of the
/// columns as above. A scalar in the type of the losses, outside of any graph.
at::Tensor correctPredictions(const at::Tensor& logits_MV, const at::Tensor& targets_M, IndexRange vocabulary,
                              const TensorParallel& parallel);

} // namespace trainyard
