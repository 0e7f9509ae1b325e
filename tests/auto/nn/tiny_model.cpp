#include "tests/auto/nn/tiny_model.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

namespace trainyard {

namespace {

constexpr std::int64_t kTinySequences = 3;
constexpr std::int64_t kTinyLength = 7;

at::Tensor scrambled(std::int64_t rows, std::int64_t columns, std::int64_t below, std::int64_t start)
{
    const at::Tensor index = at::arange(start, start + rows * columns, at::kLong);
    return ((index * 2654435761 + 12345).remainder(1000003)).remainder(below).view({rows, columns});
}

} // namespace

ModelSpec tinyModel(ModelFamily family)
{
    ModelSpec model;
    model.setFamily(family);
    model.layers = 2;
    model.hidden = 12;
    model.heads = 2;
    model.intermediate = 20;
    model.vocabulary = 13;
    model.maxPositions = 9;
    model.initializerRange = 0.3;
    return model;
}

TokenBatch tinyBatch(const ModelSpec& model)
{
    TokenBatch batch;
    batch.inputIds = scrambled(kTinySequences, kTinyLength, model.vocabulary, 0);
    batch.tokenTypeIds = scrambled(kTinySequences, kTinyLength, 2, 500);
    batch.attentionMask = at::ones({kTinySequences, kTinyLength}, at::kLong);
    batch.attentionMask[1].narrow(0, 5, 2).zero_();
    batch.attentionMask[2].narrow(0, 3, 4).zero_();
    batch.targetPositions = at::tensor({1, 4, 5, 7, 10, 11, 14, 16}, at::kLong);
    batch.targets = scrambled(1, 8, model.vocabulary, 900).view({-1});
    batch.sequenceLabels = at::tensor({1, 0, 1}, at::kLong);
    batch.sampleIndices = {100, 101, 102};
    return batch;
}

} // namespace trainyard
