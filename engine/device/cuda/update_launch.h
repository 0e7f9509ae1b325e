#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/optim/update_kernels.h"

namespace trainyard {

/// Blocks of a pass that sums, each of which has a slot of its own: sums come out the same in every run.
constexpr std::size_t kCudaSumSlots = 256;

// Each enqueues one pass of UpdatePasses<T>; T is float or double.

template <typename T>
cudaError_t launchAdamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
                        const AdamWCoefficients<T>& c, cudaStream_t stream);
template <typename T>
cudaError_t launchAdvanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                              const LambCoefficients<T>& c, double* sums, cudaStream_t stream);
template <typename T>
cudaError_t launchApplyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                            std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates,
                            cudaStream_t stream);
template <typename T>
cudaError_t launchSgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
                      const SgdCoefficients<T>& c, cudaStream_t stream);
template <typename T>
cudaError_t launchSquares(const T* values, std::int64_t count, double* sums, cudaStream_t stream);

} // namespace trainyard
