#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

namespace trainyard {

class ParameterStore;

/// One logical tensor as an optimizer sees it. Contiguous views; the optimizer writes into their memory.
struct OptimizedTensor {
    std::string name;
    at::Tensor master;   ///< float32 or float64
    at::Tensor gradient; ///< same shape and type as master
    at::Tensor working;  ///< bfloat16 copy to refresh in the same pass; undefined when there is none
    bool decays = true;  ///< weight decay applies
};

/// Every parameter of a model, in order of registration. Views: the store must outlive them.
std::vector<OptimizedTensor> optimizedTensors(const ParameterStore& parameters);

/// One tensor of an optimizer's state, for checkpoints.
struct StateTensor {
    std::string name; ///< "<state>/<parameter>", e.g. "exp_avg/bert.pooler.dense.weight"
    at::Tensor value;
};

} // namespace trainyard
