#include "engine/evaluation/batch_rows.h"

namespace trainyard {

namespace {

at::Tensor rowsOf(const at::Tensor& values, std::int64_t first, std::int64_t count)
{
    return values.defined() ? values.narrow(0, first, count) : at::Tensor();
}

} // namespace

std::int64_t targetsBefore(const TokenBatch& batch, std::int64_t sequence)
{
    return (batch.targetPositions < sequence * batch.sequenceLength()).sum().item<std::int64_t>();
}

TokenBatch sequencesOf(const TokenBatch& batch, std::int64_t first, std::int64_t count)
{
    const std::int64_t target = targetsBefore(batch, first);
    const std::int64_t targets = targetsBefore(batch, first + count) - target;
    TokenBatch part;
    part.inputIds = rowsOf(batch.inputIds, first, count);
    part.tokenTypeIds = rowsOf(batch.tokenTypeIds, first, count);
    part.attentionMask = rowsOf(batch.attentionMask, first, count);
    part.positionIds = rowsOf(batch.positionIds, first, count);
    part.sequenceLabels = rowsOf(batch.sequenceLabels, first, count);
    part.targetPositions = batch.targetPositions.narrow(0, target, targets) - first * batch.sequenceLength();
    part.targets = batch.targets.narrow(0, target, targets);
    part.sampleIndices = {batch.sampleIndices.begin() + first, batch.sampleIndices.begin() + first + count};
    return part.withoutIdleMask();
}

} // namespace trainyard
