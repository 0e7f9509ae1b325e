#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// What an autograd function keeps of the Compute of its forward pass for its backward pass: a number, for
/// autograd carries values and no pointers of ours.
inline void keepCompute(torch::autograd::AutogradContext* context, const Compute& compute)
{
    context->saved_data["compute"] = reinterpret_cast<std::int64_t>(&compute);
}

inline const Compute& keptCompute(torch::autograd::AutogradContext* context)
{
    return *reinterpret_cast<const Compute*>(context->saved_data["compute"].toInt());
}

} // namespace trainyard
