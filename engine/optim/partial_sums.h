#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trainyard {

/// Sums of the squares of Columns numbers per element, in float64: element(i, add) calls add(column, number)
/// for each. Eight partial sums per column: a fixed order of addition, and room for vector registers.
template <std::size_t Columns, typename Element>
inline __attribute__((always_inline)) std::array<double, Columns> sumsOfSquares(std::int64_t count,
                                                                                const Element& element)
{
    constexpr std::int64_t kPartialSums = 8;
    double partial[Columns][kPartialSums] = {};
    std::int64_t i = 0;
    for (; i + kPartialSums <= count; i += kPartialSums) {
        for (std::int64_t lane = 0; lane < kPartialSums; ++lane)
            element(i + lane,
                    [&](std::size_t column, double value) { partial[column][lane] += value * value; });
    }
    for (; i < count; ++i)
        element(i, [&](std::size_t column, double value) { partial[column][0] += value * value; });
    std::array<double, Columns> sums{};
    for (std::size_t column = 0; column < Columns; ++column) {
        for (const double value : partial[column])
            sums[column] += value;
    }
    return sums;
}

} // namespace trainyard
