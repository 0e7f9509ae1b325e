#pragma once

#include <torch/types.h>

#include "engine/nn/forward_pass.h"

namespace trainyard {

/// [B, S], true at padding, from an attention mask; undefined without one.
at::Tensor paddingKeys(const at::Tensor& mask_BS);

/// Which keys a query may see by their distance.
struct AttentionReach {
    bool causal = false; ///< none behind it
    int window = 0; ///< of a decoder so many, itself included, of an encoder so many on each side; 0: all
};

/// What is added to the scores [B, A, S, S]: 0 where a query may see a key, and the most negative finite
/// number where not, which the softmax turns into exactly no weight. Broadcasts to their shape; undefined
/// where every query sees every key, so that full batches of an encoder skip the addition. `padding`: of
/// paddingKeys().
at::Tensor attentionBias(const TokenBatch& batch, const at::Tensor& padding_BS, const AttentionReach& reach,
                         at::ScalarType type);

/// Whether each query sees exactly the keys up to its own place.
bool isPlainlyCausal(const TokenBatch& batch, bool causal);

/// softmax(Q K^T / sqrt(D) + bias) V of this rank's heads in a layer: [T, (A + 2 K) D] of queries, keys and
/// values -> [T, A D], or of both the columns of these heads. Where ranks share the sequences, the queries
/// are those of the tokens here, the keys and values those of all. Uses one dropout site.
at::Tensor attention(const at::Tensor& queryKeyValue_TW, const ForwardPass& pass, int layer,
                     std::uint32_t site);

/// The same of a pass over tokens that follow those in its cache, causal and without dropout: queries see the
/// cached keys of their sequence as well. Adds the keys and values of the pass to the cache's `layer`.
at::Tensor cachedAttention(const at::Tensor& queryKeyValue_TW, const ForwardPass& pass, int layer);

} // namespace trainyard
