#pragma once

#include <string>

#include <torch/types.h>

#include "engine/nn/compute/compute.h"
#include "engine/nn/tensor_parallel.h"

namespace trainyard {

class ParameterStore;

/// Weights of y = x W^T + b: weight [out, in], bias [out], undefined where the product has none. Autograd
/// leaves.
struct LinearWeights {
    at::Tensor weight;
    at::Tensor bias;
};

struct NormWeights {
    at::Tensor weight; ///< [width]
    at::Tensor bias;   ///< [width]; of a layer norm without bias zeros, of other kinds undefined
    NormKind kind = NormKind::LayerNorm;
};

/// The leaves "<name>.weight" and "<name>.bias".
LinearWeights linearWeights(const ParameterStore& parameters, const std::string& name);
NormWeights normWeights(const ParameterStore& parameters, const std::string& name, const ModelSpec& model);

/// Of a matrix [T, in]. The gradients of the weights go straight to their collectors.
at::Tensor linear(const at::Tensor& input, const LinearWeights& weights, const Compute& compute);
/// A product whose outputs are cut over the ranks of a tensor-parallel group, and one whose inputs are: what
/// the first gives goes into the second. Tokens that are sliced between such pairs are gathered before and
/// sliced after.
at::Tensor columnLinear(const at::Tensor& input, const LinearWeights& weights, const TensorParallel& parallel,
                        const Compute& compute);

/// A product whose bias is left to the next pass over it; undefined where the product has it already
/// (Compute::addsBias).
struct Product {
    at::Tensor values;
    at::Tensor bias;

    at::Tensor withBias() const { return bias.defined() ? values + bias : values; }
};
Product productOf(const at::Tensor& input, const LinearWeights& weights, NextPass next,
                  const Compute& compute);
Product columnProduct(const at::Tensor& input, const LinearWeights& weights, NextPass next,
                      const TensorParallel& parallel, const Compute& compute);
Product rowProduct(const at::Tensor& input, const LinearWeights& weights, NextPass next,
                   const TensorParallel& parallel, const Compute& compute);

/// Of rows [T, width]. `columns`: see rmsNorm(); a layer norm has whole rows.
at::Tensor norm(const at::Tensor& input, const NormWeights& weights, double epsilon, const Compute& compute,
                const TensorParallel& columns = {});

} // namespace trainyard
