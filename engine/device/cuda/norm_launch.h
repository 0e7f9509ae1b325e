#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/device/cuda/dropout_lane.h"
#include "engine/device/cuda/number.h"

namespace trainyard {

// s = dropout(input + bias) + residual, output = (s - m) d * weight + shift, with m and d as in
// engine/nn/fused/norm_kernel.h. T is double, float, BFloat16 or Float16; sums are in Wide<T>. Masks are
// drawn again in the backward pass.

/// The place of a row in its sample: its first element at a dropout site is position * width.
struct TokenPlace {
    std::uint64_t sample = 0;
    std::int64_t position = 0;
};

/// Rows of this width have kernels; others need single operations.
constexpr bool hasNormKernel(std::int64_t width)
{
    return width > 0 && width <= 8192 && width % kDropoutGroup == 0;
}

template <typename T>
struct AddNorm {
    const T* input = nullptr;           ///< [rows, width]
    const T* bias = nullptr;            ///< [width]; may be null
    const T* residual = nullptr;        ///< [rows, width]; may be null
    const TokenPlace* places = nullptr; ///< [rows]; null where nothing is dropped
    const T* weight = nullptr;          ///< [width]
    const T* shift = nullptr;           ///< [width]
    T* sum = nullptr;                   ///< [rows, width]: s; null where that is the input
    T* output = nullptr;                ///< [rows, width]
    Wide<T>* statistics = nullptr;      ///< [rows, 2]: m and d
};

/// 2 reads and 2 writes of a row, of the input alone 1 and 1; needs hasNormKernel(width).
template <typename T>
cudaError_t launchAddNorm(const AddNorm<T>& tensors, std::int64_t rows, std::int64_t width, double epsilon,
                          const DropoutRates& dropout, cudaStream_t stream);

template <typename T>
struct AddNormGradient {
    const T* gradient = nullptr;         ///< [rows, width]: of the output
    const T* sum = nullptr;              ///< [rows, width]: s
    const Wide<T>* statistics = nullptr; ///< [rows, 2]
    const TokenPlace* places = nullptr;  ///< as in the forward pass
    const T* weight = nullptr;           ///< [width]
    T* sumGradient = nullptr;            ///< [rows, width]: of s and the residual
    T* inputGradient = nullptr;          ///< [rows, width]; null where nothing is dropped: the same then
    Wide<T>* sums = nullptr;             ///< [3, width]: gradients of weight, shift and bias
};

/// Blocks of the backward pass, each of which has a slot for its sums.
constexpr std::int64_t kNormSlots = 512;
constexpr std::int64_t normScratch(std::int64_t width)
{
    return kNormSlots * 3 * width;
}

/// 2 reads and 2 writes of a row. `scratch`: normScratch(width) numbers.
template <typename T>
cudaError_t launchAddNormGradient(const AddNormGradient<T>& tensors, std::int64_t rows, std::int64_t width,
                                  const DropoutRates& dropout, Wide<T>* scratch, cudaStream_t stream);

} // namespace trainyard
