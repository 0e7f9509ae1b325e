#pragma once

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// Queries, keys and values [T, 3 A D] by head, the queries times `scale`: one pass, and one back.
/// Differentiable.
HeadTensors splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape, double scale,
                       const Compute& compute);

/// [B, A, S, D] as [T, A D]. Differentiable.
at::Tensor mergeHeads(const at::Tensor& context_BASD, const Compute& compute);

} // namespace trainyard
