#include "tests/device/kernels/faulty_kernels.h"

#include "engine/device/cuda/launch.h"

namespace trainyard {

namespace {

__global__ void reverse(int* values)
{
    TRAINYARD_SHARED(int, shared, [kThreads]);
    shared[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverseWithoutBarrier(int* values)
{
    TRAINYARD_SHARED(int, shared, [kThreads]);
    shared[threadIdx.x] = values[threadIdx.x];
    values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void barrierOfHalfTheBlock()
{
    if (threadIdx.x < blockDim.x / 2)
        __syncthreads();
}

__global__ void twoBarriers()
{
    if (threadIdx.x < blockDim.x / 2)
        __syncthreads();
    else
        __syncthreads();
}

__global__ void shuffleOfHalfTheWarp(int* values)
{
    if (threadIdx.x < kWarp / 2)
        values[threadIdx.x] = __shfl_down_sync(kAllLanes, values[threadIdx.x], 1);
}

__global__ void shuffleFromOutsideItsMask(int* values)
{
    if (threadIdx.x < kWarp / 2)
        values[threadIdx.x] = __shfl_xor_sync(0xffffu, values[threadIdx.x], kWarp / 2);
}

__global__ void warpSums(int* values, int width)
{
    int sum = values[threadIdx.x];
    for (int offset = width / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(kAllLanes, sum, offset, width);
    values[threadIdx.x] = sum;
}

__global__ void sameElementOfTwoBlocks(int* values)
{
    values[threadIdx.x] = static_cast<int>(blockIdx.x);
}

__global__ void unwrittenShared(int* values)
{
    TRAINYARD_SHARED(int, shared, [kThreads]);
    if (threadIdx.x > 0)
        shared[threadIdx.x] = 1;
    __syncthreads();
    values[threadIdx.x] = shared[threadIdx.x];
}

__global__ void largeShared(int* values)
{
    TRAINYARD_SHARED(int, first, [1 << 13]);
    TRAINYARD_SHARED(int, second, [1 << 13]);
    first[0] = values[0];
    second[0] = first[0];
}

__global__ void storeTo(int* values)
{
    values[firstElement()] = 1;
}

} // namespace

cudaError_t launchReverse(int* values, unsigned threads)
{
    return TRAINYARD_LAUNCH(reverse, 1, threads, nullptr, values);
}
cudaError_t launchReverseWithoutBarrier(int* values, unsigned threads)
{
    return TRAINYARD_LAUNCH(reverseWithoutBarrier, 1, threads, nullptr, values);
}
cudaError_t launchBarrierOfHalfTheBlock(unsigned threads)
{
    return TRAINYARD_LAUNCH(barrierOfHalfTheBlock, 1, threads, nullptr);
}
cudaError_t launchTwoBarriers(unsigned threads)
{
    return TRAINYARD_LAUNCH(twoBarriers, 1, threads, nullptr);
}
cudaError_t launchShuffleOfHalfTheWarp(int* values)
{
    return TRAINYARD_LAUNCH(shuffleOfHalfTheWarp, 1, kWarp, nullptr, values);
}
cudaError_t launchShuffleFromOutsideItsMask(int* values)
{
    return TRAINYARD_LAUNCH(shuffleFromOutsideItsMask, 1, kWarp, nullptr, values);
}
cudaError_t launchWarpSums(int* values, unsigned threads, int width)
{
    return TRAINYARD_LAUNCH(warpSums, 1, threads, nullptr, values, width);
}
cudaError_t launchSameElementOfTwoBlocks(int* values)
{
    return TRAINYARD_LAUNCH(sameElementOfTwoBlocks, 2, kWarp, nullptr, values);
}
cudaError_t launchUnwrittenShared(int* values)
{
    return TRAINYARD_LAUNCH(unwrittenShared, 1, kWarp, nullptr, values);
}
cudaError_t launchLargeShared(int* values)
{
    return TRAINYARD_LAUNCH(largeShared, 1, 1, nullptr, values);
}
cudaError_t launchStoreTo(int* values, dim3 grid, dim3 block)
{
    return TRAINYARD_LAUNCH(storeTo, grid, block, nullptr, values);
}

} // namespace trainyard
