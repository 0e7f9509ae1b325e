#pragma once

#include <bit>
#include <cstdint>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include "engine/base/kernel.h"

namespace trainyard {

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

// Free of branches but for at::Half, so that loops over them become vector code.

inline double widen(double value)
{
    return value;
}
inline float widen(float value)
{
    return value;
}
inline float widen(at::BFloat16 value)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.x) << 16);
}
inline float widen(at::Half value)
{
    return static_cast<float>(value);
}

template <typename T>
inline T narrow(Wide<T> value)
{
    return static_cast<T>(value);
}
template <>
inline at::BFloat16 narrow<at::BFloat16>(float value)
{
    return {bfloat16Bits(value), at::BFloat16::from_bits()};
}

} // namespace trainyard

/// Writes KERNEL(type) for every type of activations.
#define TRAINYARD_FOR_EACH_NUMBER(KERNEL) KERNEL(double) KERNEL(float) KERNEL(at::BFloat16) KERNEL(at::Half)
