#include "engine/optim/ranges.h"

#include <algorithm>

#include <ATen/Parallel.h>

namespace trainyard {

std::vector<ElementRange> rangesOf(const std::vector<OptimizedTensor>& tensors)
{
    std::vector<ElementRange> ranges;
    for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
        const std::int64_t count = tensors[tensor].master.numel();
        for (std::int64_t begin = 0; begin < count; begin += kRangeElements)
            ranges.push_back({tensor, begin, std::min(begin + kRangeElements, count)});
    }
    return ranges;
}

std::size_t parameterCount(const std::vector<OptimizedTensor>& tensors)
{
    std::size_t count = 0;
    for (const OptimizedTensor& tensor : tensors)
        count = std::max(count, tensor.parameter + 1);
    return count;
}

void forEachRange(const std::vector<ElementRange>& ranges, const std::function<void(std::size_t)>& handle)
{
    constexpr std::int64_t kRangesPerThread = 8;
    at::parallel_for(0, static_cast<std::int64_t>(ranges.size()), kRangesPerThread,
                     [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i)
                             handle(static_cast<std::size_t>(i));
                     });
}

} // namespace trainyard
