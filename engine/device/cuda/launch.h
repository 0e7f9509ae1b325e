#pragma once

#include <algorithm>
#include <cstdint>

#include <cuda_runtime_api.h>

// For .cu files only.

// A test that compiles kernels for the processor has definitions of its own (tests/device/kernels).
#if defined(__CUDACC__)
/// Enqueues kernel(...) on the stream; the launch's error.
// clang-format would take <<< apart.
// clang-format off
#define TRAINYARD_LAUNCH(kernel, grid, block, stream, ...)                                                   \
    ((kernel)<<<(grid), (block), 0, (stream)>>>(__VA_ARGS__), cudaGetLastError())
// clang-format on
/// An array in the block's shared memory.
#define TRAINYARD_SHARED(type, name, extents) __shared__ type name extents
#endif

namespace trainyard {

constexpr int kThreads = 256; // of a block
constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;
constexpr unsigned kAllLanes = 0xffffffffu;

/// Blocks of kThreads for `count` elements, at most `most`; threads go on where they are fewer than elements.
inline unsigned blocksFor(std::int64_t count, std::int64_t most)
{
    return static_cast<unsigned>(std::clamp<std::int64_t>((count + kThreads - 1) / kThreads, 1, most));
}

/// This thread's first element, and how many threads there are in a row of blocks.
__device__ inline std::int64_t firstElement()
{
    return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t allThreads()
{
    return std::int64_t{gridDim.x} * blockDim.x;
}

} // namespace trainyard
