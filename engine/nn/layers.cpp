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

at::Tensor layerNorm(const at::Tensor& input, const LayerNormWeights& weights, double epsilon)
{
    return at::layer_norm(input, {input.size(-1)}, weights.weight, weights.bias, epsilon);
}

} // namespace trainyard
