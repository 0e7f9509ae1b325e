#include "engine/nn/layers.h"

#include <algorithm>

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/nn/add_norm.h"
#include "engine/nn/fused/column_sums.h"
#include "engine/nn/parameters/gradient_collector.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kDepth = 1024;

/// left [T, K] times right [K, N]. oneDNN multiplies deep matrices of float32 a fifth faster in slices of
/// their depth (tests/bench/README.md).
at::Tensor deepProduct(const at::Tensor& left, const at::Tensor& right)
{
    const std::int64_t depth = left.size(1);
    if (depth < 2 * kDepth || left.scalar_type() != at::kFloat || !left.is_cpu())
        return at::mm(left, right);
    at::Tensor product = at::mm(left.narrow(1, 0, kDepth), right.narrow(0, 0, kDepth));
    for (std::int64_t begin = kDepth; begin < depth; begin += kDepth) {
        const std::int64_t count = std::min(kDepth, depth - begin);
        product.addmm_(left.narrow(1, begin, count), right.narrow(0, begin, count));
    }
    return product;
}

/// y = x W^T + b:   dx = dy W,   dW = dy^T x,   db = sum of dy over the rows. A frozen W keeps no x.
struct Linear : torch::autograd::Function<Linear> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                              const std::optional<at::Tensor>& optionalBias)
    {
        const at::Tensor bias = optionalBias.value_or(at::Tensor());
        context->save_for_backward({weight.requires_grad() ? input : at::Tensor(), weight});
        context->saved_data["weight"] = GradientRoute(weight).number();
        context->saved_data["bias"] = GradientRoute(bias).number();
        context->saved_data["hasBias"] = bias.defined();
        return bias.defined() ? at::addmm(bias, input, weight.t()) : at::mm(input, weight.t());
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor gradient = gradients[0].contiguous();
        const auto routeOf = [&](const char* name) {
            return GradientRoute::fromNumber(context->saved_data[name].toInt());
        };
        variable_list result(3);
        if (context->saved_data["hasBias"].toBool() && context->needs_input_grad(2))
            result[2] = routeOf("bias").deliver(columnSums(gradient));
        if (context->needs_input_grad(1))
            result[1] = routeOf("weight").deliverProduct(gradient.t(), saved[0]);
        if (context->needs_input_grad(0))
            result[0] = deepProduct(gradient, saved[1]);
        return result;
    }
};

} // namespace

LinearWeights linearWeights(const ParameterStore& parameters, const std::string& name)
{
    return {parameters.leaf(name + ".weight"), parameters.leaf(name + ".bias")};
}

LayerNormWeights layerNormWeights(const ParameterStore& parameters, const std::string& name)
{
    return {parameters.leaf(name + ".weight"), parameters.leaf(name + ".bias")};
}

at::Tensor linear(const at::Tensor& input, const LinearWeights& weights)
{
    return Linear::apply(input, weights.weight, optional(weights.bias));
}

at::Tensor columnLinear(const at::Tensor& input, const LinearWeights& weights, const TensorParallel& parallel)
{
    return linear(enterCut(input, parallel), weights);
}

Product columnProduct(const at::Tensor& input, const LinearWeights& weights, const TensorParallel& parallel)
{
    if (!input.is_cpu())
        return {columnLinear(input, weights, parallel), {}};
    return {linear(enterCut(input, parallel), {weights.weight, {}}), weights.bias};
}

Product rowProduct(const at::Tensor& input, const LinearWeights& weights, const TensorParallel& parallel)
{
    if (!input.is_cpu() && !parallel.isOn())
        return {linear(input, weights), {}};
    return {leaveCut(linear(input, {weights.weight, {}}), parallel), weights.bias}; // the bias once
}

at::Tensor layerNorm(const at::Tensor& input, const LayerNormWeights& weights, double epsilon)
{
    return addNorm(input, {}, {}, weights, epsilon);
}

} // namespace trainyard
