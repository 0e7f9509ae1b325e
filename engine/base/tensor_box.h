#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

/// The number of elements of a tensor of that shape; 1 for a scalar.
inline std::int64_t elementCount(const std::vector<std::int64_t>& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    return count;
}

/// A box of a logical tensor: the part of it that one rank holds or one file stores.
struct TensorBox {
    std::vector<std::int64_t> begin; ///< first index in every dimension
    std::vector<std::int64_t> shape; ///< extent in every dimension

    bool operator==(const TensorBox&) const = default;
};

} // namespace trainyard
