#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/device/cuda/dropout_lane.h"
#include "engine/device/cuda/number.h"

namespace trainyard {

// Attention's probabilities from its scores z [batch, heads, queries, keys]:
//     p = softmax(scale z + bias),  y = dropout(p)
//     dz = scale p (dp - sum_k dp_k p_k),  dp = dropout'(dy)
// T is double, float, BFloat16 or Float16; computed in Wide<T>. What is dropped is drawn again in the
// backward pass, from the same words as by launchFillRectangles(): element (head, query, key) of a sample is
// ((firstHead + head) * length + firstQuery + query) * length + firstKey + key.

struct ScoreShape {
    std::int64_t batch = 0;
    std::int64_t heads = 0; ///< of this rank
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t length = 0; ///< of the longest sequence
    std::int64_t firstHead = 0;
    std::int64_t firstQuery = 0;
    std::int64_t firstKey = 0;
    bool causal = false; ///< queries are those of the last keys, and see no later ones

    TRAINYARD_HOST_DEVICE std::int64_t rows() const { return batch * heads * queries; }
};

/// What is added to the scores, the same for all heads; strides of 0 broadcast.
template <typename T>
struct ScoreBias {
    const T* values = nullptr; ///< null: nothing
    std::int64_t batchStride = 0;
    std::int64_t queryStride = 0;
};

/// `samples` [batch]: null where nothing is dropped. `logSums`: log(sum_k e^(scale z_k + bias_k)) of each
/// row. 1 read (and one that the cache answers), 1 write. `probabilities` may be `scores` where no gradient
/// follows.
template <typename T>
cudaError_t launchProbabilities(const T* scores, const ScoreShape& shape, double scale,
                                const ScoreBias<T>& bias, const std::uint64_t* samples,
                                const DropoutRates& dropout, T* probabilities, Wide<T>* logSums,
                                cudaStream_t stream);

/// 2 reads (and as many that the cache answers), 1 write; `scoreGradient` may be `gradient`.
template <typename T>
cudaError_t launchScoreGradient(const T* gradient, const T* scores, const ScoreShape& shape, double scale,
                                const ScoreBias<T>& bias, const std::uint64_t* samples,
                                const DropoutRates& dropout, const Wide<T>* logSums, T* scoreGradient,
                                cudaStream_t stream);

} // namespace trainyard
