#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/device/cuda/range_table.h"
#include "engine/optim/update_kernels.h"

namespace trainyard {

/// Blocks of a pass that sums: the same on every device, and with it the order of addition. Each thread has
/// two loads of 16 bytes at least on their way: on 132 multiprocessors 31 KiB each, where 4.8 TB/s over 700
/// ns of latency take 25 KiB.
constexpr std::int64_t kSumBlocks = 512;
/// Numbers in device memory that such a pass needs for itself until it is done.
constexpr std::size_t kSumScratch = 3 * kSumBlocks;

// Each enqueues one pass of UpdatePasses<T>; T is float or double. Sums have one slot.

template <typename T>
cudaError_t launchAdamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
                        const AdamWCoefficients<T>& c, cudaStream_t stream);
template <typename T>
cudaError_t launchAdvanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                              const LambCoefficients<T>& c, double* scratch, double* sums,
                              cudaStream_t stream);
template <typename T>
cudaError_t launchApplyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                            std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates,
                            cudaStream_t stream);
template <typename T>
cudaError_t launchSgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
                      const SgdCoefficients<T>& c, cudaStream_t stream);
template <typename T>
cudaError_t launchSquares(const T* values, std::int64_t count, double* scratch, double* sums,
                          cudaStream_t stream);

// Several passes at once. `scratch`: a number for each of the table's blocks.

template <typename T>
cudaError_t launchAdamW(const RangeTable<AdamWRange<T>>& table, cudaStream_t stream);
template <typename T>
cudaError_t launchSquares(const RangeTable<SquaresRange<T>>& table, double* scratch, cudaStream_t stream);

} // namespace trainyard
