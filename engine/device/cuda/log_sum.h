#pragma once

#include <cmath>
#include <limits>

#include "engine/device/cuda/launch.h"

namespace trainyard {

/// log(sum of e^z) over numbers that come one after the other (Milakov and Gimelshein, arXiv:1805.02867): the
/// largest so far, and the sum of e^(z - largest).
template <typename W>
struct LogSum {
    W largest = std::numeric_limits<W>::lowest();
    W sum = 0;

    __device__ void add(W z)
    {
        if (z > largest) {
            sum *= std::exp(largest - z);
            largest = z;
        }
        sum += std::exp(z - largest);
    }
    __device__ void add(W otherLargest, W otherSum)
    {
        const W before = largest;
        largest = otherLargest > before ? otherLargest : before;
        sum = sum * std::exp(before - largest) + otherSum * std::exp(otherLargest - largest);
    }
    __device__ W value() const { return largest + std::log(sum); }
};

/// Over the lanes of a warp; every lane has it.
template <typename W>
__device__ LogSum<W> warpLogSum(LogSum<W> mine)
{
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
        const W otherLargest = __shfl_xor_sync(kAllLanes, mine.largest, offset);
        const W otherSum = __shfl_xor_sync(kAllLanes, mine.sum, offset);
        mine.add(otherLargest, otherSum);
    }
    return mine;
}

} // namespace trainyard
