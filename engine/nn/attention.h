#pragma once

#include <torch/types.h>

#include "engine/nn/forward_pass.h"

namespace trainyard {

/// What is added to the scores [B, A, S, S]: 0 where a query may see a key, and the most negative finite
/// number where not, which the softmax turns into exactly no weight. Broadcasts to their shape; undefined
/// where every query sees every key, so that full batches of an encoder skip the addition.
at::Tensor attentionBias(const TokenBatch& batch, bool causal, at::ScalarType type);

/// Whether each query sees exactly the keys up to its own place.
bool isPlainlyCausal(const TokenBatch& batch, bool causal);

/// softmax(Q K^T / sqrt(D) + bias) V of this rank's heads: [T, 3 H] of queries, keys and values ->
/// [T, H], or of both the columns of these heads.
/// Uses one dropout site.
at::Tensor attention(const at::Tensor& queryKeyValue_T3H, const ForwardPass& pass, std::uint32_t site);

} // namespace trainyard
