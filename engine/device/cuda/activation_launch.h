#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/device/cuda/number.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

// y = f(x + b) with x [rows, columns] and b [columns] or null; engine/nn/fused/activation_kernel.h has the
// functions. T is double, float, BFloat16 or Float16; sums are in Wide<T>.

/// 1 read, 1 write.
template <typename T>
cudaError_t launchActivation(Activation activation, const T* input, const T* bias, T* output,
                             std::int64_t rows, std::int64_t columns, cudaStream_t stream);

/// Numbers that launchActivationGradient() needs for itself.
std::int64_t activationScratch(std::int64_t columns);

/// 2 reads, 1 write; `inputGradient` may be `gradient`. `biasGradient` [columns]: null without a bias.
template <typename T>
cudaError_t launchActivationGradient(Activation activation, const T* gradient, const T* input, const T* bias,
                                     T* inputGradient, Wide<T>* biasGradient, std::int64_t rows,
                                     std::int64_t columns, Wide<T>* scratch, cudaStream_t stream);

} // namespace trainyard
