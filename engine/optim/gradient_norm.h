#pragma once

#include <vector>

#include <torch/types.h>

#include "engine/optim/logical_sums.h"
#include "engine/optim/optimized_tensor.h"
#include "engine/optim/update_kernels.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Euclidean norm of all gradients of all ranks together; each logical tensor counts once. Not finite when a
/// gradient is not. All ranks call it.
double globalGradientNorm(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums = {});
/// Squares of the norms of the logical tensors, by parameter of the store, whatever ranks hold their parts.
/// `kernels` work where the gradients lie. All ranks call it. Accumulated in float64 in a fixed order: the
/// same for any number of threads.
std::vector<double> squaredGradientNorms(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums,
                                         const UpdateKernels& kernels = processorUpdates());
/// Square of the global norm.
double squaredGradientNorm(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums,
                           const UpdateKernels& kernels = processorUpdates());

/// Factor that brings a gradient of this norm down to spec.clipNorm, never above 1; clipNorm = 0 means no
/// clipping. NVIDIA's LAMB: clipNorm / norm, for clipping is a part of FusedLAMB; otherwise
/// clipNorm / (norm + 1e-6), as torch.nn.utils.clip_grad_norm_.
double clipCoefficient(double norm, const OptimizerSpec& spec);

} // namespace trainyard
