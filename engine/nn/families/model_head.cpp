#include "engine/nn/families/model_head.h"

#include <algorithm>

#include <ATen/ops/tanh.h>

#include "engine/base/check.h"
#include "engine/nn/cross_entropy.h"

namespace trainyard {

std::unique_ptr<const ModelHead> makeHead(const ModelSpec& model, const ParameterStore& parameters,
                                          const at::Tensor& decoder)
{
    if (model.task.hasHead())
        return makeTaskHead(model, parameters);
    return model.isDecoder() ? makeDecoderHead(model, decoder) : makeEncoderHead(model, parameters, decoder);
}

at::Tensor capped(const at::Tensor& values, double cap)
{
    return cap > 0 ? at::tanh(values / cap) * cap : values;
}

IndexRange vocabularyOf(const ModelSpec& model, const TensorParallel& parallel)
{
    return evenShare(model.vocabulary, parallel.rank(), parallel.ranks());
}

namespace {

/// Of the sequences that have a label.
at::Tensor labelledSequences(const Logits& logits, const TokenBatch& batch)
{
    return logits.sequences.narrow(0, 0, batch.sequenceLabels.size(0));
}

} // namespace

LossSums lossSums(const Logits& logits, const TokenBatch& batch, const Compute& compute,
                  IndexRange vocabulary, const TensorParallel& parallel)
{
    LossSums sums;
    sums.tokens = vocabularyCrossEntropySum(logits.tokens, batch.targets, vocabulary, parallel, compute);
    TRAINYARD_CHECK(!logits.sequences.defined() || batch.sequenceLabels.defined());
    if (logits.sequences.defined())
        sums.sequences = crossEntropySum(labelledSequences(logits, batch), batch.sequenceLabels, compute);
    sums.targetCount = batch.targetCount();
    sums.sequenceCount = batch.sequences();
    return sums;
}

void countCorrect(LossSums& sums, const Logits& logits, const TokenBatch& batch, IndexRange vocabulary,
                  const TensorParallel& parallel)
{
    sums.correctTokens = correctPredictions(logits.tokens, batch.targets, vocabulary, parallel);
    if (logits.sequences.defined())
        sums.correctSequences =
            correctPredictions(labelledSequences(logits, batch), batch.sequenceLabels, {}, {});
}

LossSums LossSums::detached() const
{
    LossSums sums = *this;
    for (at::Tensor* sum : {&sums.tokens, &sums.sequences}) {
        if (sum->defined())
            *sum = sum->detach();
    }
    return sums;
}

// A batch without anything to predict has a sum of 0, and no gradient.
at::Tensor LossSums::normalised(std::int64_t globalTargets, std::int64_t globalSequences) const
{
    const auto mean = [](const at::Tensor& sum, std::int64_t count) {
        return sum / static_cast<double>(std::max<std::int64_t>(1, count));
    };
    if (!tokens.defined())
        return mean(sequences, globalSequences);
    const at::Tensor tokenLoss = mean(tokens, globalTargets);
    return sequences.defined() ? tokenLoss + mean(sequences, globalSequences) : tokenLoss;
}

} // namespace trainyard
