#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace trainyard {

/// Exact summary of a range of values.
struct ValueSummary {
    double least =
        std::numeric_limits<double>::infinity(); ///< of the finite values, as are `most` and `last`
    double most = -std::numeric_limits<double>::infinity();
    double last = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t finite = 0;
    std::uint64_t notFinite = 0; ///< NaN and infinities

    std::uint64_t count() const { return finite + notFinite; }

    void add(double value)
    {
        if (!std::isfinite(value)) {
            ++notFinite;
            return;
        }
        least = std::min(least, value);
        most = std::max(most, value);
        last = value;
        ++finite;
    }

    /// `later`: the range that follows this one.
    void add(const ValueSummary& later)
    {
        least = std::min(least, later.least);
        most = std::max(most, later.most);
        if (later.finite > 0)
            last = later.last;
        finite += later.finite;
        notFinite += later.notFinite;
    }
};

} // namespace trainyard
