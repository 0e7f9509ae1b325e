#include "engine/nn/activation.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/base/check.h"
#include "engine/nn/fused/activation_kernel.h"
#include "engine/nn/parameters/gradient_collector.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct BiasActivation : torch::autograd::Function<BiasActivation> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& product,
                              const std::optional<at::Tensor>& optionalBias, Activation activation)
    {
        const at::Tensor bias = optionalBias.value_or(at::Tensor());
        const at::Tensor input = product.contiguous();
        context->save_for_backward({input, bias});
        context->saved_data["activation"] = static_cast<std::int64_t>(activation);
        context->saved_data["bias"] = GradientRoute(bias).number();
        return activationForward(input, bias, activation);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const auto activation = static_cast<Activation>(context->saved_data["activation"].toInt());
        const auto [product, bias] =
            activationBackward(gradients[0].contiguous(), saved[0], saved[1], activation);
        const bool needsBias = saved[1].defined() && context->needs_input_grad(1);
        const auto route = GradientRoute::fromNumber(context->saved_data["bias"].toInt());
        return {product, needsBias ? route.deliver(bias) : at::Tensor(), at::Tensor()};
    }
};

at::Tensor plainActivation(const at::Tensor& input, Activation activation)
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

} // namespace

at::Tensor activate(const Product& product, Activation activation)
{
    if (activation != Activation::Swiglu)
        return activateUngated(product.values, product.bias, activation);
    const auto halves = product.withBias().chunk(2, -1);
    return at::silu(halves[0]) * halves[1];
}

at::Tensor activateUngated(const at::Tensor& input, const at::Tensor& bias, Activation activation)
{
    if (!input.is_cpu())
        return plainActivation(bias.defined() ? input + bias : input, activation);
    return BiasActivation::apply(input, optional(bias), activation);
}

} // namespace trainyard
