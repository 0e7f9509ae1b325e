#pragma once

#include <torch/types.h>

#include "engine/nn/forward_pass.h"
#include "engine/nn/layers.h"

namespace trainyard {

/// Queries, keys and values [T, (A + 2 K) D] of this rank's heads with queries and keys normalised, each head
/// by itself or all heads together (QueryKeyNorm).
at::Tensor normQueriesAndKeys(const at::Tensor& queryKeyValue, const NormWeights& query,
                              const NormWeights& key, const ForwardPass& pass);

} // namespace trainyard
