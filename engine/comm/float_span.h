#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trainyard {

/// What a collective can add up.
enum class FloatType : std::uint8_t { Float32, Float64, BFloat16, Float16 };

constexpr std::size_t sizeOf(FloatType type)
{
    switch (type) {
    case FloatType::Float32:
        return 4;
    case FloatType::Float64:
        return 8;
    case FloatType::BFloat16:
    case FloatType::Float16:
        return 2;
    }
    return 0;
}

/// Contiguous numbers that a collective works on in place. Does not own them. They lie in host memory, or
/// where the group has a device transport on this rank's device.
struct FloatSpan {
    void* data = nullptr;
    std::size_t count = 0;
    FloatType type = FloatType::Float32;

    FloatSpan(void* numbers, std::size_t number, FloatType floatType)
        : data(numbers), count(number), type(floatType)
    {
    }
    FloatSpan(std::span<float> values) : FloatSpan(values.data(), values.size(), FloatType::Float32) {}
    FloatSpan(std::span<double> values) : FloatSpan(values.data(), values.size(), FloatType::Float64) {}

    std::size_t bytes() const { return count * sizeOf(type); }
    std::span<const std::byte> asBytes() const { return {static_cast<const std::byte*>(data), bytes()}; }
    std::span<std::byte> asWritableBytes() const { return {static_cast<std::byte*>(data), bytes()}; }
    FloatSpan part(std::size_t first, std::size_t number) const
    {
        return {static_cast<std::byte*>(data) + first * sizeOf(type), number, type};
    }
};

} // namespace trainyard
