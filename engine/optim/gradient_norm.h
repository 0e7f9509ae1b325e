#pragma once

#include <vector>

#include <torch/types.h>

#include "engine/optim/logical_sums.h"
#include "engine/optim/optimized_tensor.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Sum of squares, accumulated in float64 in a fixed order: the same for any number of threads.
double squaredNorm(const at::Tensor& tensor);

/// Euclidean norm of all gradients of all ranks together; each logical tensor counts once. Not finite when a
/// gradient is not. All ranks call it.
double globalGradientNorm(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums = {});
/// Its square.
double squaredGradientNorm(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums);

/// Factor that brings a gradient of this norm down to spec.clipNorm, never above 1; clipNorm = 0 means no
/// clipping. AdamW: clipNorm / (norm + 1e-6), as torch.nn.utils.clip_grad_norm_. LAMB: clipNorm / norm, as
/// NVIDIA's FusedLAMB, of which clipping is a part.
double clipCoefficient(double norm, const OptimizerSpec& spec);

} // namespace trainyard
