#include "engine/parallel/data/bucket_plan.h"

#include <algorithm>
#include <numeric>

#include "engine/nn/parameter_store.h"

namespace trainyard {

std::vector<Bucket> planBuckets(const std::vector<Parameter>& parameters, std::int64_t flatCount,
                                Bytes bucketSize, std::size_t bytesPerElement)
{
    std::vector<std::size_t> byOffset(parameters.size());
    std::iota(byOffset.begin(), byOffset.end(), std::size_t{0});
    std::sort(byOffset.begin(), byOffset.end(),
              [&](std::size_t a, std::size_t b) { return parameters[a].offset < parameters[b].offset; });

    const auto elements = static_cast<std::int64_t>(bucketSize / bytesPerElement);
    std::vector<Bucket> buckets;
    for (const std::size_t index : byOffset) {
        const std::int64_t offset = parameters[index].offset;
        if (buckets.empty() || offset - buckets.back().begin >= elements) {
            if (!buckets.empty())
                buckets.back().end = offset;
            buckets.push_back({buckets.empty() ? 0 : offset, flatCount, {}});
        }
        buckets.back().parameters.push_back(index);
    }
    return buckets;
}

} // namespace trainyard
