#include "engine/nn/model_head.h"

#include <ATen/ops/cross_entropy_loss.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

// Sum of cross entropies, in float32 at least.
at::Tensor crossEntropySum(const at::Tensor& logits, const at::Tensor& labels)
{
    const at::Tensor wide = logits.scalar_type() == at::kBFloat16 ? logits.to(at::kFloat) : logits;
    return at::cross_entropy_loss(wide, labels, {}, at::Reduction::Sum);
}

} // namespace

LossSums lossSums(const Logits& logits, const TokenBatch& batch)
{
    LossSums sums;
    sums.tokens = crossEntropySum(logits.tokens, batch.targets);
    TRAINYARD_CHECK(!logits.sequences.defined() || batch.sequenceLabels.defined());
    if (logits.sequences.defined())
        sums.sequences = crossEntropySum(logits.sequences, batch.sequenceLabels);
    sums.targetCount = batch.targetCount();
    sums.sequenceCount = batch.sequences();
    return sums;
}

at::Tensor LossSums::normalised(std::int64_t globalTargets, std::int64_t globalSequences) const
{
    const at::Tensor tokenLoss = tokens / static_cast<double>(globalTargets);
    return sequences.defined() ? tokenLoss + sequences / static_cast<double>(globalSequences) : tokenLoss;
}

} // namespace trainyard
