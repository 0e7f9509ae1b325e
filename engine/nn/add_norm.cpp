#include "engine/nn/add_norm.h"

#include <ATen/ops/layer_norm.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/nn/fused/norm_kernel.h"
#include "engine/nn/parameters/gradient_collector.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct AddNorm : torch::autograd::Function<AddNorm> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                              const at::Tensor& shift, const std::optional<at::Tensor>& optionalBias,
                              const std::optional<at::Tensor>& optionalResidual, double epsilon)
    {
        const at::Tensor bias = optionalBias.value_or(at::Tensor());
        const at::Tensor residual = optionalResidual ? optionalResidual->contiguous() : at::Tensor();
        const NormForward result = normForward({input.contiguous(), bias, residual}, weight, shift, epsilon);
        context->save_for_backward({result.sum, result.statistics, weight});
        context->saved_data["weight"] = GradientRoute(weight).number();
        context->saved_data["shift"] = GradientRoute(shift).number();
        context->saved_data["bias"] = GradientRoute(bias).number();
        context->saved_data["hasBias"] = bias.defined();
        context->saved_data["hasResidual"] = residual.defined();
        return result.output;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const NormGradients result = normBackward(gradients[0].contiguous(), saved[0], saved[1], saved[2]);
        const auto deliver = [&](std::size_t input, const char* name, const at::Tensor& gradient) {
            if (!context->needs_input_grad(input))
                return at::Tensor();
            return GradientRoute::fromNumber(context->saved_data[name].toInt()).deliver(gradient);
        };
        const bool hasBias = context->saved_data["hasBias"].toBool();
        const bool hasResidual = context->saved_data["hasResidual"].toBool();
        return {result.sum,
                deliver(1, "weight", result.weight),
                deliver(2, "shift", result.shift),
                hasBias ? deliver(3, "bias", result.bias) : at::Tensor(),
                hasResidual ? result.sum : at::Tensor(),
                at::Tensor()};
    }
};

} // namespace

at::Tensor addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                   const LayerNormWeights& weights, double epsilon)
{
    if (!input.is_cpu()) {
        const at::Tensor biased = bias.defined() ? input + bias : input;
        return at::layer_norm(residual.defined() ? biased + residual : biased, {input.size(-1)},
                              weights.weight, weights.bias, epsilon);
    }
    return AddNorm::apply(input, weights.weight, weights.bias, optional(bias), optional(residual), epsilon);
}

} // namespace trainyard
