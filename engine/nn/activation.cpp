#include "engine/nn/activation.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>

#include "engine/base/check.h"

namespace trainyard {

at::Tensor activate(const at::Tensor& input, Activation activation)
{
    if (activation != Activation::Swiglu)
        return activateUngated(input, activation);
    const auto halves = input.chunk(2, -1);
    return at::silu(halves[0]) * halves[1];
}

at::Tensor activateUngated(const at::Tensor& input, Activation activation)
{
    switch (activation) {
    case Activation::Gelu:
        return at::gelu(input);
    case Activation::GeluNew:
        return at::gelu(input, "tanh");
    case Activation::Relu:
        return at::relu(input);
    case Activation::Swiglu:
        return at::silu(input);
    }
    TRAINYARD_CHECK_MSG(false, "unknown activation");
    return input;
}

} // namespace trainyard
