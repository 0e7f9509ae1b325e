#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "engine/base/kernel.h"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace trainyard {

/// Numbers of 16 bits as kernels see them in memory.
struct BFloat16 {
    std::uint16_t bits;
};
struct Float16 {
    std::uint16_t bits;
};

/// What kernels compute in: float for numbers of 16 bits, else the type itself.
template <typename T>
struct WideType {
    using type = float;
};
template <>
struct WideType<double> {
    using type = double;
};
template <typename T>
using Wide = typename WideType<T>::type;

/// The bits of a number as bfloat16, rounded to nearest even. A NaN stays one: devices make those of all
/// ones, which the addition in bfloat16Bits() would turn into -0.
TRAINYARD_ALWAYS_INLINE std::uint16_t bfloat16BitsOrNan(float value)
{
    return value == value ? bfloat16Bits(value) : std::uint16_t{0x7fff};
}

TRAINYARD_HOST_DEVICE inline double widen(double value)
{
    return value;
}
TRAINYARD_HOST_DEVICE inline float widen(float value)
{
    return value;
}
TRAINYARD_HOST_DEVICE inline float widen(BFloat16 value)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
TRAINYARD_HOST_DEVICE inline float widen(Float16 value)
{
#if defined(__CUDACC__)
    return __half2float(std::bit_cast<__half>(value.bits));
#else
    return static_cast<float>(std::bit_cast<_Float16>(value.bits));
#endif
}

template <typename T>
TRAINYARD_HOST_DEVICE inline T narrow(Wide<T> value)
{
    return value;
}
template <>
TRAINYARD_HOST_DEVICE inline BFloat16 narrow<BFloat16>(float value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint16_t bits; // one instruction, where the same in bits is six
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return {bits};
#else
    return {bfloat16BitsOrNan(value)};
#endif
}
template <>
TRAINYARD_HOST_DEVICE inline Float16 narrow<Float16>(float value)
{
#if defined(__CUDACC__)
    return {std::bit_cast<std::uint16_t>(__float2half(value))};
#else
    return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))};
#endif
}

/// 16 bytes, which a thread loads or stores at once.
template <typename T>
struct alignas(16) Pack {
    static constexpr int kCount = 16 / sizeof(T);
    T at[kCount];
};

template <typename T>
TRAINYARD_HOST_DEVICE inline bool isPackAligned(const T* address)
{
    return reinterpret_cast<std::uintptr_t>(address) % sizeof(Pack<T>) == 0;
}

template <typename T>
inline bool arePackAligned(std::initializer_list<const T*> addresses)
{
    return std::ranges::all_of(addresses, isPackAligned<T>);
}

constexpr float kLog2E = 1.44269504f;

/// e^x within 2^-20, for results that are rounded to 16 bits.
TRAINYARD_HOST_DEVICE inline float quickExp(float x)
{
    return std::exp2(x * kLog2E);
}

/// From any address; `isAligned` is the same for all threads.
template <typename T>
TRAINYARD_HOST_DEVICE inline Pack<T> loadPack(const T* from, bool isAligned)
{
    if (isAligned)
        return *reinterpret_cast<const Pack<T>*>(from);
    Pack<T> pack;
    for (int i = 0; i < Pack<T>::kCount; ++i)
        pack.at[i] = from[i];
    return pack;
}
template <typename T>
TRAINYARD_HOST_DEVICE inline void storePack(T* to, const Pack<T>& pack, bool isAligned)
{
    if (isAligned) {
        *reinterpret_cast<Pack<T>*>(to) = pack;
        return;
    }
    for (int i = 0; i < Pack<T>::kCount; ++i)
        to[i] = pack.at[i];
}

} // namespace trainyard
