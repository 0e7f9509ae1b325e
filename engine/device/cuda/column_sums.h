#pragma once

#include <cstddef>

#include "engine/device/cuda/launch.h"

namespace trainyard {

/// Sums of columns over slots, each the sums of a part of the rows: result[column] = sum over slot of
/// slots[slot * columns + column]. A warp's width of columns per block; each warp adds every kWarps-th slot,
/// and then the warps are added in their order.
template <typename W>
__global__ void addColumnSlots(const W* slots, int count, std::int64_t columns, W* result)
{
    TRAINYARD_SHARED(W, ofWarp, [kWarps][kWarp]);
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const std::int64_t column = std::int64_t{blockIdx.x} * kWarp + lane;
    W mine = 0;
    for (int slot = warp; slot < count && column < columns; slot += kWarps)
        mine += slots[slot * columns + column];
    ofWarp[warp][lane] = mine;
    __syncthreads();
    if (warp > 0 || column >= columns)
        return;
    W sum = 0;
    for (int i = 0; i < kWarps; ++i)
        sum += ofWarp[i][lane];
    result[column] = sum;
}

template <typename W>
cudaError_t launchAddColumnSlots(const W* slots, unsigned count, std::int64_t columns, W* result,
                                 cudaStream_t stream)
{
    const auto blocks = static_cast<unsigned>((columns + kWarp - 1) / kWarp);
    return TRAINYARD_LAUNCH(addColumnSlots<W>, blocks, kThreads, stream, slots, static_cast<int>(count),
                            columns, result);
}

} // namespace trainyard
