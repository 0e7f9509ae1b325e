#pragma once

#include <cstdint>

#include "engine/base/kernel.h"
#include "engine/optim/update_kernels.h"

namespace trainyard {

/// A pass of UpdatePasses<T>, with its arguments.
template <typename T>
struct AdamWRange {
    MomentStreams<T> streams;
    std::uint16_t* working;
    std::int64_t count;
    AdamWCoefficients<T> coefficients;
};
template <typename T>
struct SquaresRange {
    const T* values;
    std::int64_t count;
    double* sums;
};

/// Elements of a range that one block handles; with it the order of sums depends on the range alone.
constexpr std::int64_t kRangeBlock = 1 << 14;

/// Passes of one kind in one launch: a model has hundreds of small tensors. Parameters of a kernel are 4 KiB
/// at most.
template <typename Range>
struct RangeTable {
    static constexpr std::int32_t kMaxRanges = 4000 / (sizeof(Range) + sizeof(std::uint32_t));

    Range ranges[kMaxRanges];
    std::uint32_t firstBlock[kMaxRanges + 1]; ///< of each range, and how many there are in all
    std::int32_t count = 0;

    bool isFull() const { return count == kMaxRanges; }
    std::uint32_t blocks() const { return count == 0 ? 0 : firstBlock[count]; }
    void add(const Range& range)
    {
        firstBlock[0] = 0;
        ranges[count] = range;
        const std::int64_t needed = (range.count + kRangeBlock - 1) / kRangeBlock;
        firstBlock[count + 1] = firstBlock[count] + static_cast<std::uint32_t>(needed);
        ++count;
    }
};

} // namespace trainyard
