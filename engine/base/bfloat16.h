#pragma once

#include <bit>
#include <cstdint>

#include "engine/base/host_device.h"

namespace trainyard {

/// The bits of a number as bfloat16, rounded to nearest even. Finite or infinite values only: a NaN's payload
/// may be lost. Free of branches, so that loops over it become vector code.
TRAINYARD_ALWAYS_INLINE std::uint16_t bfloat16Bits(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

} // namespace trainyard
