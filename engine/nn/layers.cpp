#include "engine/nn/layers.h"

#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>

#include "engine/nn/parameter_store.h"

namespace trainyard {

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
    return at::linear(input, weights.weight, weights.bias);
}

at::Tensor columnLinear(const at::Tensor& input, const LinearWeights& weights, const TensorParallel& parallel)
{
    return linear(enterCut(input, parallel), weights);
}

at::Tensor rowLinear(const at::Tensor& input, const LinearWeights& weights, const TensorParallel& parallel)
{
    if (!parallel.isOn())
        return linear(input, weights);
    return leaveCut(at::linear(input, weights.weight), parallel) + weights.bias; // the bias once
}

at::Tensor layerNorm(const at::Tensor& input, const LayerNormWeights& weights, double epsilon)
{
    return at::layer_norm(input, {input.size(-1)}, weights.weight, weights.bias, epsilon);
}

} // namespace trainyard
