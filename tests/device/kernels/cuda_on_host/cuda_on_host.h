#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <tuple>
#include <type_traits>

#include "tests/device/kernels/cuda_on_host/launch_types.h"

// What our kernels use of CUDA C++, for a C++ compiler without the toolkit (CUDA C++ Programming Guide 13.0,
// "C++ Language Extensions"). One thread of one block runs at a time, see block_executor.h.

#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))

#define TRAINYARD_LAUNCH(kernel, grid, block, stream, ...)                                                   \
    ::trainyard::on_host::launch(kernel, grid, block, stream __VA_OPT__(, ) __VA_ARGS__)

#define TRAINYARD_SHARED(type, name, extents)                                                                \
    static char name##Key;                                                                                   \
    using name##Array = type extents;                                                                        \
    name##Array& name = *static_cast<name##Array*>(                                                          \
        ::trainyard::on_host::sharedVariable(&name##Key, sizeof(name##Array), alignof(name##Array)))

extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

namespace trainyard::on_host {

constexpr std::size_t kMaxParameterBytes = 4096;
constexpr int kWarp = 32;

cudaError_t run(dim3 grid, dim3 block, void (*thread)(const void* arguments), const void* arguments);
void waitForBlock(const std::source_location& where);
/// `value` of the lane `source` of the same warp.
std::uint64_t exchange(unsigned mask, std::uint64_t value, int source, const std::source_location& where);
int laneHere();
/// Memory of the block that runs: the same for all of its threads that ask with the same key.
void* sharedVariable(const void* key, std::size_t bytes, std::size_t alignment);

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t,
                   const Arguments&... arguments)
{
    static_assert((std::size_t{0} + ... + sizeof(Parameters)) <= kMaxParameterBytes);
    using Call = std::tuple<void (*)(Parameters...), std::tuple<std::remove_const_t<Parameters>...>>;
    const Call call{kernel, {arguments...}};
    // Each thread has parameters of its own, which it may change.
    return run(
        grid, block,
        [](const void* packed) {
            const auto& [function, parameters] = *static_cast<const Call*>(packed);
            std::apply(function, parameters);
        },
        &call);
}

template <typename T>
T fromLane(unsigned mask, T value, int source, const std::source_location& where)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<T>(static_cast<Bits>(exchange(mask, std::bit_cast<Bits>(value), source, where)));
}

} // namespace trainyard::on_host

inline void __syncthreads(std::source_location where = std::source_location::current())
{
    trainyard::on_host::waitForBlock(where);
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = trainyard::on_host::kWarp,
              std::source_location where = std::source_location::current())
{
    const int first = trainyard::on_host::laneHere() / width * width;
    return trainyard::on_host::fromLane(mask, value, first + source % width, where);
}

template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = trainyard::on_host::kWarp,
                   std::source_location where = std::source_location::current())
{
    const int lane = trainyard::on_host::laneHere();
    const int source = lane + static_cast<int>(delta);
    const bool isInside = source / width == lane / width;
    return trainyard::on_host::fromLane(mask, value, isInside ? source : lane, where);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = trainyard::on_host::kWarp,
                  std::source_location where = std::source_location::current())
{
    const int lane = trainyard::on_host::laneHere();
    const int source = lane ^ laneMask;
    const bool isInside = source / width <= lane / width;
    return trainyard::on_host::fromLane(mask, value, isInside ? source : lane, where);
}
