#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace trainyard {

/// The upper median of the finite values; NaN if there are none.
inline double medianOf(std::vector<double> values)
{
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace trainyard
