#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/optim/optimized_tensor.h"

namespace trainyard {

/// A run of consecutive elements of one tensor: what one thread handles at a time.
struct ElementRange {
    std::size_t tensor = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// Cuts tensors into ranges of at most kRangeElements. Depends on the shapes alone, so that sums over ranges,
/// added up in their order, do not depend on the number of threads.
std::vector<ElementRange> rangesOf(const std::vector<OptimizedTensor>& tensors);
constexpr std::int64_t kRangeElements =
    1 << 15; // four float32 streams of a range fit in half a MiB of L2 cache

/// One more than the highest index of a parameter among them.
std::size_t parameterCount(const std::vector<OptimizedTensor>& tensors);

/// What every range gave, added up in order: number `column` of a parameter is element
/// Columns * parameter + column.
template <std::size_t Columns>
std::vector<double> sumsByParameter(const std::vector<OptimizedTensor>& tensors,
                                    const std::vector<ElementRange>& ranges,
                                    const std::vector<std::array<double, Columns>>& ofRange)
{
    std::vector<double> sums(Columns * parameterCount(tensors));
    for (std::size_t index = 0; index < ranges.size(); ++index) {
        const std::size_t row = Columns * tensors[ranges[index].tensor].parameter;
        for (std::size_t column = 0; column < Columns; ++column)
            sums[row + column] += ofRange[index][column];
    }
    return sums;
}

/// Calls `handle` with the index of every range, on all of ATen's threads.
void forEachRange(const std::vector<ElementRange>& ranges, const std::function<void(std::size_t)>& handle);

} // namespace trainyard
