#include "engine/nn/token_batch.h"

#include <ATen/ops/empty.h>

#include "engine/base/check.h"

namespace trainyard {

std::vector<SequencePlace> TokenBatch::places() const
{
    const auto count = static_cast<std::size_t>(sequences());
    TRAINYARD_CHECK(sampleIndices.size() == count);
    std::vector<SequencePlace> all;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back({sampleIndices[i], begin, isPacked() ? packedLengths[i] : sequenceLength()});
        begin += all.back().length;
    }
    if (begin < tokens())
        all.push_back({sampleIndices.back(), begin, tokens() - begin});
    return all;
}

at::Tensor TokenBatch::firstTokens() const
{
    const std::vector<SequencePlace> all = places();
    at::Tensor first = at::empty({sequences()}, inputIds.options());
    for (std::int64_t i = 0; i < sequences(); ++i)
        first.mutable_data_ptr<std::int64_t>()[i] = all[static_cast<std::size_t>(i)].begin;
    return first;
}

} // namespace trainyard
