#pragma once

#include "engine/device/cuda/dropout_lane.h"
#include "engine/device/cuda/launch.h"
#include "engine/device/cuda/number.h"

// For .cu files only. For kernels in which eight neighbouring lanes of a warp have the 64 elements of a
// dropout group, eight each: a pack of numbers of 16 bits.

namespace trainyard {

constexpr int kPackElements = 8;
constexpr int kPacksOfGroup = static_cast<int>(kDropoutGroup) / kPackElements;

/// Bit i is set where element 8 (lane % 8) + i of the sample's `group`-th group is kept. All lanes of a warp
/// call it together; the eight of a group with the same arguments.
///
/// Each draws two of the group's sixteen Philox blocks, and takes from four others the bits that it needs:
/// element e of the group has word e / 16 of block e % 16.
__device__ inline unsigned keptOfPack(std::int64_t group, std::uint64_t sample, const DropoutRates& rates)
{
    const int place = static_cast<int>(threadIdx.x) % kPacksOfGroup;
    const unsigned drawn =
        keptOfLane(group, 2 * place, sample, rates) | keptOfLane(group, 2 * place + 1, sample, rates) << 4;
    const int word = place / 2;
    unsigned kept = 0;
    for (int i = 0; i < kPackElements; i += 2) {
        const unsigned two = __shfl_sync(kAllLanes, drawn, place % 2 * 4 + i / 2, kPacksOfGroup);
        kept |= (two >> word & 1) << i | (two >> (4 + word) & 1) << (i + 1);
    }
    return kept;
}

} // namespace trainyard
