#pragma once

#include <cstddef>

#include "engine/device/cuda/launch.h"

// Sums over the threads of a block of kThreads, for .cu files only. The order of addition is always the same.

namespace trainyard {

/// Over groups of `Lanes` neighbouring lanes of a warp; each has its group's sum. All lanes call it.
template <int Lanes, typename W>
__device__ W lanesSum(W value)
{
    for (int offset = Lanes / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(kAllLanes, value, offset);
    return value;
}

/// Over the lanes of a warp; every lane has the sum.
template <typename W>
__device__ W warpSum(W value)
{
    return lanesSum<kWarp>(value);
}

/// Over the block; every thread has the sum. `ofWarp`: shared memory, which only such sums use.
template <typename W>
__device__ W blockSum(W value, W (&ofWarp)[kWarps])
{
    value = warpSum(value);
    __syncthreads(); // the sum before this one has been read
    if (threadIdx.x % kWarp == 0)
        ofWarp[threadIdx.x / kWarp] = value;
    __syncthreads();
    W sum = 0;
    for (const W partial : ofWarp)
        sum += partial;
    return sum;
}

/// Adds up each column over the block's threads and writes the block's slot. Every thread of the block calls
/// it, once.
template <int Columns>
__device__ void storeBlockSums(double (&mine)[Columns], double* sums)
{
    TRAINYARD_SHARED(double, ofWarp, [kWarps][Columns]);
    for (int column = 0; column < Columns; ++column) {
        for (int offset = kWarp / 2; offset > 0; offset /= 2)
            mine[column] += __shfl_down_sync(kAllLanes, mine[column], offset);
        if (threadIdx.x % kWarp == 0)
            ofWarp[threadIdx.x / kWarp][column] = mine[column];
    }
    __syncthreads();
    if (threadIdx.x >= Columns)
        return;
    double sum = 0;
    for (int warp = 0; warp < kWarps; ++warp)
        sum += ofWarp[warp][threadIdx.x];
    sums[std::size_t{blockIdx.x} * Columns + threadIdx.x] = sum;
}

/// Of one block: sums[column] = sum over the slots that storeBlockSums() wrote.
template <int Columns>
__global__ void addSlots(const double* slots, int count, double* sums)
{
    double mine[Columns] = {};
    for (int slot = static_cast<int>(threadIdx.x); slot < count; slot += kThreads) {
        for (int column = 0; column < Columns; ++column)
            mine[column] += slots[std::size_t(slot) * Columns + column];
    }
    storeBlockSums(mine, sums);
}

} // namespace trainyard
