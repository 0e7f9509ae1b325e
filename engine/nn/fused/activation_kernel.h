#pragma once

#include <torch/types.h>

#include "engine/spec/run_spec.h"

namespace trainyard {

// y = f(x + b) with x [T, N], contiguous, and b [N] or undefined. With s(v) = 1 / (1 + e^-v):
//     Gelu     f(x) = x Phi(x)                            f'(x) = Phi(x) + x phi(x)
//     GeluNew  f(x) = x s(2u), u = sqrt(2/pi) (x + 0.044715 x^3); f'(x) = s + x s (1 - s) 2u'
//     Relu     f(x) = max(x, 0)
//     Swiglu   f(x) = x s(x) (silu)                       f'(x) = s + x s (1 - s)

at::Tensor activationForward(const at::Tensor& input, const at::Tensor& bias, Activation activation);

struct ActivationGradients {
    at::Tensor input; ///< in the type of the activations
    at::Tensor bias;  ///< [N] in float32 (float64); undefined without a bias
};
ActivationGradients activationBackward(const at::Tensor& gradient, const at::Tensor& input,
                                       const at::Tensor& bias, Activation activation);

} // namespace trainyard
