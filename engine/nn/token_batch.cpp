#include "engine/nn/token_batch.h"

#include <ATen/ops/empty.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

template <typename Move>
TokenBatch moved(const TokenBatch& batch, Move move)
{
    TokenBatch copy = batch;
    for (at::Tensor* tensor : {&copy.inputIds, &copy.tokenTypeIds, &copy.attentionMask, &copy.positionIds,
                               &copy.targetPositions, &copy.targets, &copy.sequenceLabels}) {
        if (tensor->defined())
            *tensor = move(*tensor);
    }
    return copy;
}

} // namespace

TokenBatch TokenBatch::withoutIdleMask() const
{
    TokenBatch copy = *this;
    if (attentionMask.defined() && attentionMask.all().item<bool>())
        copy.attentionMask = at::Tensor();
    return copy;
}

TokenBatch TokenBatch::pinned() const
{
    return moved(*this, [](const at::Tensor& tensor) { return tensor.pin_memory(); });
}

TokenBatch TokenBatch::on(const c10::Device& place) const
{
    TokenBatch copy =
        moved(*this, [&](const at::Tensor& tensor) { return tensor.to(place, /*non_blocking=*/true); });
    copy.hostTargetPositions = targetPositions;
    return copy;
}

std::vector<SequencePlace> TokenBatch::places() const
{
    const auto count = static_cast<std::size_t>(sequences());
    TRAINYARD_CHECK(sampleIndices.size() == count);
    std::vector<SequencePlace> all;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back({sampleIndices[i], begin, isPacked() ? packedLengths[i] : sequenceLength(),
                       i == 0 ? packedBefore : 0});
        begin += all.back().length;
    }
    if (begin < tokens())
        all.push_back({sampleIndices.back(), begin, tokens() - begin});
    return all;
}

// Written on the host; a device takes its copy while the host goes on.
at::Tensor TokenBatch::firstTokens() const
{
    const std::vector<SequencePlace> all = places();
    const std::int64_t skipped = packedBefore > 0 ? 1 : 0;
    const at::Tensor first = at::empty({sequences() - skipped}, at::kLong);
    for (std::int64_t i = skipped; i < sequences(); ++i)
        first.mutable_data_ptr<std::int64_t>()[i - skipped] = all[static_cast<std::size_t>(i)].begin;
    return first.to(inputIds.device(), /*non_blocking=*/true);
}

std::vector<std::uint64_t> TokenBatch::samplesBegun() const
{
    return {sampleIndices.begin() + (packedBefore > 0 ? 1 : 0), sampleIndices.end()};
}

} // namespace trainyard
