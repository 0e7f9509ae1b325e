#pragma once

#include <torch/types.h>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Of a feed-forward layer: input [T, I], or [T, 2 I] with SwiGLU, whose first half is the gate; output [T,
/// I].
at::Tensor activate(const at::Tensor& input, Activation activation);

/// Where there is no gate: SwiGLU's is silu, of the whole input.
at::Tensor activateUngated(const at::Tensor& input, Activation activation);

} // namespace trainyard
