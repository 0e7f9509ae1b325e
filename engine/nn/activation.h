#pragma once

#include <torch/types.h>

#include "engine/nn/layers.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Of a feed-forward layer: product [T, I], or [T, 2 I] of a gated one, whose first half is the gate; output
/// [T, I].
at::Tensor activate(const Product& product, Activation activation, const Compute& compute);

/// Where there is no gate: activation(input + bias), a gated one's being the gate's. `bias` may be undefined.
at::Tensor activateUngated(const at::Tensor& input, const at::Tensor& bias, Activation activation,
                           const Compute& compute);

} // namespace trainyard
