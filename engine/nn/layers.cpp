#include "engine/nn/layers.h"

#include <ATen/ops/zeros_like.h>

#include "engine/base/check.h"
#include "engine/nn/add_norm.h"
#include "engine/nn/compute/kept_compute.h"
#include "engine/nn/parameters/gradient_collector.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/rms_norm.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// y = x W^T + b:   dx = dy W,   dW = dy^T x,   db = sum of dy over the rows. A frozen W keeps no x.
struct Linear : torch::autograd::Function<Linear> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                              const std::optional<at::Tensor>& optionalBias, const Compute& compute)
    {
        keepCompute(context, compute);
        const at::Tensor bias = optionalBias.value_or(at::Tensor());
        context->save_for_backward({weight.requires_grad() ? input : at::Tensor(), weight});
        context->saved_data["weight"] = GradientRoute(weight).number();
        context->saved_data["bias"] = GradientRoute(bias).number();
        context->saved_data["hasBias"] = bias.defined();
        return compute.affine(input, weight, bias);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const Compute& compute = keptCompute(context);
        const at::Tensor gradient = compute.asOperand(gradients[0]);
        const auto routeOf = [&](const char* name) {
            return GradientRoute::fromNumber(context->saved_data[name].toInt());
        };
        variable_list result(4);
        if (context->saved_data["hasBias"].toBool() && context->needs_input_grad(2))
            result[2] = routeOf("bias").deliver(compute.columnSums(gradient));
        if (context->needs_input_grad(1))
            result[1] = routeOf("weight").deliverProduct(gradient.t(), saved[0], compute);
        if (context->needs_input_grad(0))
            result[0] = compute.product(gradient, saved[1]);
        return result;
    }
};

} // namespace

LinearWeights linearWeights(const ParameterStore& parameters, const std::string& name)
{
    const std::string bias = name + ".bias";
    return {parameters.leaf(name + ".weight"),
            parameters.contains(bias) ? parameters.leaf(bias) : at::Tensor()};
}

NormWeights normWeights(const ParameterStore& parameters, const std::string& name, const ModelSpec& model)
{
    const at::Tensor& weight = parameters.leaf(name + ".weight");
    if (model.normKind != NormKind::LayerNorm)
        return {weight, {}, model.normKind};
    return {weight, model.normBiases ? parameters.leaf(name + ".bias") : at::zeros_like(weight.detach())};
}

at::Tensor linear(const at::Tensor& input, const LinearWeights& weights, const Compute& compute)
{
    return Linear::apply(input, weights.weight, optional(weights.bias), compute);
}

Product productOf(const at::Tensor& input, const LinearWeights& weights, NextPass next,
                  const Compute& compute)
{
    if (compute.addsBias(next))
        return {linear(input, weights, compute), {}};
    return {linear(input, {weights.weight, {}}, compute), weights.bias};
}

at::Tensor columnLinear(const at::Tensor& input, const LinearWeights& weights, const TensorParallel& parallel,
                        const Compute& compute)
{
    return linear(enterCut(input, parallel), weights, compute);
}

Product columnProduct(const at::Tensor& input, const LinearWeights& weights, NextPass next,
                      const TensorParallel& parallel, const Compute& compute)
{
    return productOf(enterCut(input, parallel), weights, next, compute);
}

Product rowProduct(const at::Tensor& input, const LinearWeights& weights, NextPass next,
                   const TensorParallel& parallel, const Compute& compute)
{
    if (!parallel.isOn())
        return productOf(input, weights, next, compute);
    return {leaveCut(linear(input, {weights.weight, {}}, compute), parallel), weights.bias}; // the bias once
}

at::Tensor norm(const at::Tensor& input, const NormWeights& weights, double epsilon, const Compute& compute,
                const TensorParallel& columns)
{
    if (weights.kind != NormKind::LayerNorm)
        return rmsNorm(input, weights.weight, weights.kind == NormKind::RmsNormOffset, epsilon, columns);
    TRAINYARD_CHECK(!columns.isOn());
    return addNorm(input, {}, {}, weights, epsilon, compute);
}

} // namespace trainyard
