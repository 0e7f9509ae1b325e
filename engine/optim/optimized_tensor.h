#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

namespace trainyard {

class ParameterStore;

/// Consecutive elements of one logical tensor as an optimizer sees them: all of it, or what this rank owns.
/// One dimension, contiguous; the optimizer writes into their memory.
struct OptimizedTensor {
    std::string name;          ///< of the logical tensor
    at::Tensor master;         ///< float32 or float64
    at::Tensor gradient;       ///< same size and type as master
    at::Tensor working;        ///< bfloat16 or float16 copy to refresh with it; undefined when there is none
    bool decays = true;        ///< weight decay applies
    std::size_t parameter = 0; ///< index of the logical tensor among the store's parameters
};

/// What this rank owns of every parameter that is not frozen, in order of registration. Views: the store must
/// outlive them.
std::vector<OptimizedTensor> optimizedTensors(const ParameterStore& parameters);

/// One tensor of an optimizer's state, for checkpoints.
struct StateTensor {
    std::string name;       ///< "exp_avg", "exp_avg_sq", "momentum_buffer"
    std::size_t tensor = 0; ///< index of the optimized tensor that it belongs to
    at::Tensor value;       ///< same size as the optimized tensor
};

} // namespace trainyard
