#pragma once

#include <torch/types.h>

namespace trainyard {

/// Euclidean norm of the difference by that of `expected`, both in float64 on the processor.
inline double relativeError(const at::Tensor& found, const at::Tensor& expected)
{
    const at::Tensor x = found.cpu().to(at::kDouble);
    const at::Tensor y = expected.cpu().to(at::kDouble);
    const double norm = y.norm().item<double>();
    return (x - y).norm().item<double>() / (norm > 0 ? norm : 1.0);
}

} // namespace trainyard
