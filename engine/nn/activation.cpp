#include "engine/nn/activation.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/silu.h>

#include "engine/nn/compute/kept_compute.h"
#include "engine/nn/parameters/gradient_collector.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct BiasActivation : torch::autograd::Function<BiasActivation> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& product,
                              const std::optional<at::Tensor>& optionalBias, Activation activation,
                              const Compute& compute)
    {
        const at::Tensor bias = optionalBias.value_or(at::Tensor());
        const at::Tensor input = product.contiguous();
        keepCompute(context, compute);
        context->save_for_backward({input, bias});
        context->saved_data["activation"] = static_cast<std::int64_t>(activation);
        context->saved_data["bias"] = GradientRoute(bias).number();
        return compute.activationForward(input, bias, activation);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const auto activation = static_cast<Activation>(context->saved_data["activation"].toInt());
        const auto [product, bias] = keptCompute(context).activationBackward(gradients[0].contiguous(),
                                                                             saved[0], saved[1], activation);
        const bool needsBias = saved[1].defined() && context->needs_input_grad(1);
        const auto route = GradientRoute::fromNumber(context->saved_data["bias"].toInt());
        return {product, needsBias ? route.deliver(bias) : at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

at::Tensor gateOf(const at::Tensor& input, Activation activation)
{
    if (activation == Activation::Swiglu)
        return at::silu(input);
    return at::gelu(input, activation == Activation::GegluNew ? "tanh" : "none");
}

} // namespace

at::Tensor activate(const Product& product, Activation activation, const Compute& compute)
{
    if (!isGated(activation))
        return activateUngated(product.values, product.bias, activation, compute);
    const auto halves = product.withBias().chunk(2, -1);
    return gateOf(halves[0], activation) * halves[1];
}

at::Tensor activateUngated(const at::Tensor& input, const at::Tensor& bias, Activation activation,
                           const Compute& compute)
{
    return BiasActivation::apply(input, optional(bias), activation, compute);
}

} // namespace trainyard
