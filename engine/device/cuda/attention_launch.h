#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/device/cuda/dropout_lane.h"
#include "engine/device/cuda/number.h"

namespace trainyard {

// Attention with dropout that keeps no scores (Dao, arXiv:2307.08691), of heads of 64 numbers of 16 bits:
//     p = softmax(scale q k^T + bias),  context = dropout(p) v
// Queries, keys and values are read, and their gradients written, where the tokens have them. What is dropped
// is drawn once, as by launchProbabilities(), and kept as bits. Needs compute capability 8.0. T is BFloat16
// or Float16.

constexpr std::int64_t kAttentionWidth = 64; ///< of a head
constexpr std::int64_t kAttentionTile = 64;  ///< queries or keys; lengths are multiples

struct AttentionShape {
    std::int64_t sequences = 0;
    std::int64_t heads = 0; ///< of this rank
    std::int64_t length = 0;
    std::int64_t firstHead = 0;
    bool causal = false;

    /// Of 64 keys each.
    std::int64_t keptWords() const { return sequences * heads * length * (length / kAttentionTile); }
};

template <typename T>
struct AttentionInput {
    const T* queryKeyValue = nullptr;       ///< [sequences * length, 3, heads, 64]
    const T* bias = nullptr;                ///< of a key, in each sequence; may be null
    std::int64_t biasStride = 0;            ///< from sequence to sequence
    const std::uint64_t* samples = nullptr; ///< [sequences]; null where nothing is dropped
    float scale = 1;
};

/// What the forward pass leaves, and the backward pass needs.
template <typename T>
struct AttentionResult {
    T* context = nullptr;          ///< [sequences * length, heads, 64]
    float* logSums = nullptr;      ///< [sequences, heads, length], of powers of 2
    std::uint64_t* kept = nullptr; ///< [sequences, heads, length, length / 64]; null where nothing is dropped
};

template <typename T>
struct AttentionGradient {
    const T* context = nullptr; ///< the gradient of the context
    T* queryKeyValue = nullptr; ///< as the input
    float* products = nullptr;  ///< [sequences, heads, length], for the passes themselves
};

/// Of the current device.
bool hasAttentionKernel(const AttentionShape& shape);

/// 1 read of the tokens, 1 write of the context and, where something is dropped, of length / 64 words a
/// query.
template <typename T>
cudaError_t launchAttention(const AttentionInput<T>& input, const AttentionShape& shape,
                            const DropoutRates& dropout, const AttentionResult<T>& result,
                            cudaStream_t stream);
template <typename T>
cudaError_t launchAttentionGradient(const AttentionInput<T>& input, const AttentionShape& shape,
                                    const DropoutRates& dropout, const AttentionResult<T>& result,
                                    const AttentionGradient<T>& gradient, cudaStream_t stream);

} // namespace trainyard
