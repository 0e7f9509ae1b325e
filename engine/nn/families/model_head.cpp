#include "engine/nn/families/model_head.h"

#include "engine/base/check.h"
#include "engine/nn/cross_entropy.h"

namespace trainyard {

IndexRange vocabularyOf(const ModelSpec& model, const TensorParallel& parallel)
{
    return evenShare(model.vocabulary, parallel.rank(), parallel.ranks());
}

LossSums lossSums(const Logits& logits, const TokenBatch& batch, IndexRange vocabulary,
                  const TensorParallel& parallel)
{
    LossSums sums;
    sums.tokens = vocabularyCrossEntropySum(logits.tokens, batch.targets, vocabulary, parallel);
    TRAINYARD_CHECK(!logits.sequences.defined() || batch.sequenceLabels.defined());
    if (logits.sequences.defined())
        sums.sequences = crossEntropySum(logits.sequences, batch.sequenceLabels);
    sums.targetCount = batch.targetCount();
    sums.sequenceCount = batch.sequences();
    return sums;
}

LossSums LossSums::detached() const
{
    return {tokens.detach(), sequences.defined() ? sequences.detach() : at::Tensor(), targetCount,
            sequenceCount};
}

at::Tensor LossSums::normalised(std::int64_t globalTargets, std::int64_t globalSequences) const
{
    const at::Tensor tokenLoss = tokens / static_cast<double>(globalTargets);
    return sequences.defined() ? tokenLoss + sequences / static_cast<double>(globalSequences) : tokenLoss;
}

} // namespace trainyard
