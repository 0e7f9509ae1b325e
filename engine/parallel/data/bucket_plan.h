#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/units.h"

namespace trainyard {

struct Parameter;

/// A contiguous range of the flat gradient buffer that is reduced in one piece.
struct Bucket {
    std::int64_t begin = 0;              ///< first element
    std::int64_t end = 0;                ///< one past the last
    std::vector<std::size_t> parameters; ///< indices into the store's parameters() that lie inside
};

/// Cuts the flat buffer at borders of parameters into buckets of at least `bucketSize` (the last may be
/// smaller), front first: the order in which the backward pass fills them. Alignment gaps belong to the
/// bucket before them. The same parameters give the same plan on every rank.
std::vector<Bucket> planBuckets(const std::vector<Parameter>& parameters, std::int64_t flatCount,
                                Bytes bucketSize, std::size_t bytesPerElement);

} // namespace trainyard
