#pragma once

#include <cstdint>

namespace trainyard {

/// Sum of the squares of `count` numbers, accumulated in float64 in a fixed order.
double sumOfSquares(const float* values, std::int64_t count);
double sumOfSquares(const double* values, std::int64_t count);

} // namespace trainyard
