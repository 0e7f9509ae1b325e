#include "engine/optim/gradient_norm.h"

#include <cmath>

#include <ATen/Dispatch.h>

#include "engine/base/check.h"
#include "engine/optim/ranges.h"

namespace trainyard {

std::vector<double> squaredGradientNorms(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums,
                                         const UpdateKernels& kernels)
{
    const TensorRanges ranges(tensors, kernels);
    std::vector<double> squares = ranges.sum(1, [&](const ElementRange& range, double* ofRange) {
        const at::Tensor& gradient = tensors[range.tensor].gradient;
        TRAINYARD_CHECK_MSG(gradient.is_contiguous(), tensors[range.tensor].name);
        AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "squaredNorm", [&] {
            kernels.of<scalar_t>().squares(gradient.const_data_ptr<scalar_t>() + range.begin, range.count(),
                                           ofRange);
        });
    });
    sums.complete(squares, 1);
    return squares;
}

double squaredGradientNorm(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums,
                           const UpdateKernels& kernels)
{
    return sums.total(squaredGradientNorms(tensors, sums, kernels));
}

double globalGradientNorm(const std::vector<OptimizedTensor>& tensors, const LogicalSums& sums)
{
    return std::sqrt(squaredGradientNorm(tensors, sums));
}

double clipCoefficient(double norm, const OptimizerSpec& spec)
{
    if (spec.clipNorm <= 0.0)
        return 1.0;
    const double guard = spec.kind == OptimizerKind::Lamb ? 0.0 : 1e-6;
    const double coefficient = spec.clipNorm / (norm + guard);
    return coefficient < 1.0 ? coefficient : 1.0;
}

} // namespace trainyard
