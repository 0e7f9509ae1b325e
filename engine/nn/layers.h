#pragma once

#include <string>

#include <torch/types.h>

namespace trainyard {

class ParameterStore;

/// Weights of y = x W^T + b: weight [out, in], bias [out]. Autograd leaves.
struct LinearWeights {
    at::Tensor weight;
    at::Tensor bias;
};

struct LayerNormWeights {
    at::Tensor weight; ///< [width]
    at::Tensor bias;   ///< [width]
};

/// The leaves "<name>.weight" and "<name>.bias".
LinearWeights linearWeights(const ParameterStore& parameters, const std::string& name);
LayerNormWeights layerNormWeights(const ParameterStore& parameters, const std::string& name);

at::Tensor linear(const at::Tensor& input, const LinearWeights& weights);
at::Tensor layerNorm(const at::Tensor& input, const LayerNormWeights& weights, double epsilon);

} // namespace trainyard
