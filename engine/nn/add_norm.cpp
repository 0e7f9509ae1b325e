#include "engine/nn/add_norm.h"

#include "engine/nn/compute/kept_compute.h"
#include "engine/nn/compute/kept_dropout.h"
#include "engine/nn/parameters/gradient_collector.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct AddNorm : torch::autograd::Function<AddNorm> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                              const at::Tensor& shift, const std::optional<at::Tensor>& optionalBias,
                              const std::optional<at::Tensor>& optionalResidual, double epsilon,
                              const Compute& compute, const std::optional<RowDropout>& dropout)
    {
        const at::Tensor bias = optionalBias.value_or(at::Tensor());
        const at::Tensor residual = optionalResidual ? optionalResidual->contiguous() : at::Tensor();
        keepCompute(context, compute);
        const NormInput added{input.contiguous(), bias, residual};
        const NormForward result = dropout ? compute.dropNormForward(added, *dropout, weight, shift, epsilon)
                                           : compute.normForward(added, weight, shift, epsilon);
        context->save_for_backward({result.sum, result.mean_T, result.scale_T, weight, result.mask,
                                    dropout ? dropout->places : at::Tensor()});
        if (dropout)
            keepRates(context, dropout->rates);
        context->saved_data["drops"] = dropout.has_value();
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
        const bool hasBias = context->saved_data["hasBias"].toBool();
        const bool hasResidual = context->saved_data["hasResidual"].toBool();
        const bool needsWeights = context->needs_input_grad(1) || context->needs_input_grad(2);
        const bool needsBias = hasBias && context->needs_input_grad(3);
        const bool drops = context->saved_data["drops"].toBool();
        const Compute& compute = keptCompute(context);
        const NormBackwardInput input{
            gradients[0].contiguous(), saved[0], saved[1], saved[2], saved[3], needsWeights, needsBias};
        const NormGradients result =
            drops ? compute.dropNormBackward(input, {saved[4], saved[5], keptRates(context)})
                  : compute.normBackward(input);
        const auto deliver = [&](bool needed, const char* name, const at::Tensor& gradient) {
            if (!needed)
                return at::Tensor();
            return GradientRoute::fromNumber(context->saved_data[name].toInt()).deliver(gradient);
        };
        return {drops ? result.input : result.sum,
                deliver(context->needs_input_grad(1), "weight", result.weight),
                deliver(context->needs_input_grad(2), "shift", result.shift),
                deliver(needsBias, "bias", result.bias),
                hasResidual ? result.sum : at::Tensor(),
                at::Tensor(),
                at::Tensor(),
                at::Tensor()};
    }
};

} // namespace

at::Tensor addNorm(const at::Tensor& input, const at::Tensor& bias, const at::Tensor& residual,
                   const NormWeights& weights, double epsilon, const Compute& compute,
                   const std::optional<RowDropout>& dropout)
{
    return AddNorm::apply(input, weights.weight, weights.bias, optional(bias), optional(residual), epsilon,
                          compute, dropout);
}

} // namespace trainyard
