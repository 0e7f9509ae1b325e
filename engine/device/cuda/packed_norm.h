#pragma once

#include "engine/device/cuda/norm_launch.h"

namespace trainyard {

// launchAddNorm() and launchAddNormGradient() for numbers of 16 bits, with packs of eight: a row is a warp's,
// and no barrier waits for others.

/// Whether rows of this width and these tensors have such kernels, forward and backward.
template <typename T>
bool hasPackedNorm(const AddNorm<T>& tensors, std::int64_t width);
template <typename T>
bool hasPackedNorm(const AddNormGradient<T>& tensors, std::int64_t width);

template <typename T>
cudaError_t launchPackedAddNorm(const AddNorm<T>& tensors, std::int64_t rows, std::int64_t width,
                                float epsilon, const DropoutRates& dropout, cudaStream_t stream);

/// Writes one slot of 3 * width sums for each of `blocks` blocks, at most kNormSlots.
template <typename T>
cudaError_t launchPackedAddNormGradient(const AddNormGradient<T>& tensors, std::int64_t rows,
                                        std::int64_t width, const DropoutRates& dropout, float* slots,
                                        unsigned& blocks, cudaStream_t stream);

} // namespace trainyard
