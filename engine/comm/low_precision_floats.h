#pragma once

#include <bit>
#include <cstdint>

#include "engine/base/kernel.h"
#include "engine/comm/float_span.h"

namespace trainyard {

/// Two-byte floating-point types, whose sums run in float32.
struct BFloat16 {
    std::uint16_t bits;

    float wide() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
    /// Rounds to nearest even; NaN stays NaN.
    static BFloat16 narrow(float value)
    {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
        return {isNan ? static_cast<std::uint16_t>(bits >> 16 | 0x40u) : bfloat16Bits(value)};
    }
};

struct Float16 {
    _Float16 value;

    float wide() const { return static_cast<float>(value); }
    static Float16 narrow(float value) { return {static_cast<_Float16>(value)}; }
};

constexpr bool isNarrow(FloatType type)
{
    return type == FloatType::BFloat16 || type == FloatType::Float16;
}

/// Copies low-precision numbers to the same number of float32, and back with rounding to nearest even.
void widen(FloatSpan narrow, float* wide);
void narrow(const float* wide, FloatSpan narrow);

} // namespace trainyard
