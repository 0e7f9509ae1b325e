#pragma once

#include <cstdint>

#include "tests/device/kernels/cuda_on_host/launch_types.h"

namespace trainyard {

// Kernels with one fault each, on arrays of the block's size, and one without.

cudaError_t launchReverse(int* values, unsigned threads);
cudaError_t launchReverseWithoutBarrier(int* values, unsigned threads);
cudaError_t launchBarrierOfHalfTheBlock(unsigned threads);
cudaError_t launchTwoBarriers(unsigned threads);
cudaError_t launchShuffleOfHalfTheWarp(int* values);
cudaError_t launchShuffleFromOutsideItsMask(int* values);
cudaError_t launchWarpSums(int* values, unsigned threads, int width);
cudaError_t launchSameElementOfTwoBlocks(int* values);
cudaError_t launchUnwrittenShared(int* values);
cudaError_t launchLargeShared(int* values);
cudaError_t launchStoreTo(int* values, dim3 grid, dim3 block);

} // namespace trainyard
