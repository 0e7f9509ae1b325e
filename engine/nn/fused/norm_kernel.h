#pragma once

#include <torch/types.h>

namespace trainyard {

// The kernels of addNorm(); every tensor is contiguous. Symbols: m and d are mean and 1 / sqrt(var + epsilon)
// of a row, h = (s - m) d.

/// s = input + bias + residual, of which the latter two may be undefined.
struct NormInput {
    at::Tensor input;
    at::Tensor bias;
    at::Tensor residual;
};

struct NormForward {
    at::Tensor output;
    at::Tensor sum;        ///< s, in the type of the activations; the input itself when nothing is added
    at::Tensor statistics; ///< [T, 2]: m and d, in float32 (float64)
};
NormForward normForward(const NormInput& input, const at::Tensor& weight, const at::Tensor& shift,
                        double epsilon);

/// With p = weight * dy:  ds = d (p - mean(p) - h mean(p h)).
struct NormGradients {
    at::Tensor sum;    ///< ds
    at::Tensor weight; ///< sum over rows of dy h, [N] in float32 (float64)
    at::Tensor shift;  ///< sum over rows of dy
    at::Tensor bias;   ///< sum over rows of ds
};
NormGradients normBackward(const at::Tensor& gradient, const at::Tensor& sum, const at::Tensor& statistics,
                           const at::Tensor& weight);

} // namespace trainyard
