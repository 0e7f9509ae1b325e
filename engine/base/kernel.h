#pragma once

#include <bit>
#include <cstdint>

// Marks arithmetic that processors and devices share: nvcc compiles it for both.
#if defined(__CUDACC__)
#define TRAINYARD_HOST_DEVICE __host__ __device__
#else
#define TRAINYARD_HOST_DEVICE
#endif

/// The same for what loops must have inside to become vector code.
#define TRAINYARD_ALWAYS_INLINE TRAINYARD_HOST_DEVICE inline __attribute__((always_inline))

// One function, compiled for plain x86-64, AVX2 and AVX-512; the loader takes the best that the host has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define TRAINYARD_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRAINYARD_VECTOR_CLONES
#endif

namespace trainyard {

/// The bits of a number as bfloat16, rounded to nearest even. Finite or infinite values only: a NaN's payload
/// may be lost. Free of branches, so that loops over it become vector code.
TRAINYARD_ALWAYS_INLINE std::uint16_t bfloat16Bits(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

} // namespace trainyard
