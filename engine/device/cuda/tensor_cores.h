#pragma once

#include <cstdint>

#include "engine/device/cuda/launch.h"
#include "engine/device/cuda/number.h"

// For .cu files only: matrix products of a warp, of numbers of 16 bits. Devices of compute capability 8.0 and
// later have them. Lane 4 g + q of a warp has the numbers that the PTX ISA (9.7.14, "mma.m16n8k16") gives it.

namespace trainyard {

constexpr int kMatrixRows = 8; // of the matrices that loadMatrices() reads

/// Two numbers as a register has them, `low` in the lower half.
template <typename T>
__device__ inline std::uint32_t packTwo(float low, float high)
{
    return narrow<T>(low).bits | static_cast<std::uint32_t>(narrow<T>(high).bits) << 16;
}

#if defined(__CUDACC__)

/// Of the current device, in these types.
inline bool hasTensorCores()
{
    int device = 0;
    int major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
           major >= 8;
}

/// d += a b with a [16, 16], b [16, 8] and d [16, 8]. Of d a lane has (g, 2q), (g, 2q + 1), (g + 8, 2q) and
/// (g + 8, 2q + 1); of a the pairs that begin at (g, 2q), (g + 8, 2q), (g, 2q + 8) and (g + 8, 2q + 8); of b
/// rows 2q and 2q + 1, and rows 2q + 8 and 2q + 9, of column g.
template <typename T>
__device__ inline void multiplyAdd(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                   std::uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<T, BFloat16>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    __trap();
#endif
}

/// Four matrices [8, 8] in shared memory, of which lane i names row i % 8 of matrix i / 8, at a multiple of
/// 16 bytes. A lane gets of each the pair at (g, 2q), or transposed that at (2q, g) and (2q + 1, g).
template <bool transposed, typename T>
__device__ inline void loadMatrices(std::uint32_t (&matrices)[4], const T* row)
{
#if __CUDA_ARCH__ >= 800
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
    if constexpr (transposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
                     : "r"(address));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
                     : "r"(address));
#else
    __trap();
#endif
}

#else // a test that compiles kernels for the processor: the same from shuffles

inline bool hasTensorCores()
{
    return true;
}

template <typename T>
float lowOf(std::uint32_t pair)
{
    return widen(T{static_cast<std::uint16_t>(pair)});
}
template <typename T>
float highOf(std::uint32_t pair)
{
    return widen(T{static_cast<std::uint16_t>(pair >> 16)});
}

template <typename T>
void multiplyAdd(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1)
{
    const int g = static_cast<int>(threadIdx.x) % kWarp / 4;
    const int q = static_cast<int>(threadIdx.x) % 4;
    for (int k = 0; k < 4; ++k) {
        std::uint32_t ofA[4];
        for (int i = 0; i < 4; ++i)
            ofA[i] = __shfl_sync(kAllLanes, a[i], 4 * g + k);
        for (int column = 0; column < 2; ++column) {
            const int source = 4 * (2 * q + column) + k;
            const std::uint32_t ofB0 = __shfl_sync(kAllLanes, b0, source);
            const std::uint32_t ofB1 = __shfl_sync(kAllLanes, b1, source);
            for (int row = 0; row < 2; ++row)
                d[2 * row + column] +=
                    lowOf<T>(ofA[row]) * lowOf<T>(ofB0) + highOf<T>(ofA[row]) * highOf<T>(ofB0) +
                    lowOf<T>(ofA[row + 2]) * lowOf<T>(ofB1) + highOf<T>(ofA[row + 2]) * highOf<T>(ofB1);
        }
    }
}

template <bool transposed, typename T>
void loadMatrices(std::uint32_t (&matrices)[4], const T* row)
{
    const int g = static_cast<int>(threadIdx.x) % kWarp / 4;
    const int q = static_cast<int>(threadIdx.x) % 4;
    const auto rowOf = [&](int matrix, int i) {
        const auto address =
            __shfl_sync(kAllLanes, reinterpret_cast<std::uint64_t>(row), kMatrixRows * matrix + i);
        return reinterpret_cast<const T*>(address);
    };
    for (int matrix = 0; matrix < 4; ++matrix) {
        const T* const first = rowOf(matrix, transposed ? 2 * q : g);
        const T* const second = rowOf(matrix, transposed ? 2 * q + 1 : g);
        const T low = transposed ? first[g] : first[2 * q];
        const T high = transposed ? second[g] : second[2 * q + 1];
        matrices[matrix] = low.bits | static_cast<std::uint32_t>(high.bits) << 16;
    }
}

#endif

} // namespace trainyard
