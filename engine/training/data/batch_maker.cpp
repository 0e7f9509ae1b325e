#include "engine/training/data/batch_maker.h"

#include <array>
#include <numeric>

#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include "engine/base/check.h"
#include "engine/training/data/packing.h"

namespace trainyard {

namespace {

template <typename Value>
at::Tensor toTensor(const std::vector<Value>& values, at::IntArrayRef shape)
{
    at::Tensor tensor = at::empty(shape, at::kLong);
    std::copy(values.begin(), values.end(), tensor.data_ptr<std::int64_t>());
    return tensor;
}

struct Targets {
    std::vector<std::int64_t> positions; ///< flat indices into rows * sequence length
    std::vector<std::int64_t> labels;
};

Targets maskedOf(const RowBlock& rows)
{
    Targets masked;
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const std::size_t first = row * static_cast<std::size_t>(rows.maxPredictions);
        for (std::size_t i = first; i < first + static_cast<std::size_t>(rows.maxPredictions); ++i) {
            if (rows.maskedPositions[i] == 0)
                break;
            masked.positions.push_back(static_cast<std::int64_t>(row) * rows.sequenceLength +
                                       rows.maskedPositions[i]);
            masked.labels.push_back(rows.maskedIds[i]);
        }
    }
    return masked;
}

/// Returns the rows' tokens before masking.
std::vector<std::int32_t> unmaskedIds(const RowBlock& rows)
{
    std::vector<std::int32_t> ids = rows.inputIds;
    const Targets masked = maskedOf(rows);
    for (std::size_t i = 0; i < masked.positions.size(); ++i)
        ids[static_cast<std::size_t>(masked.positions[i])] = static_cast<std::int32_t>(masked.labels[i]);
    return ids;
}

/// Returns every token except a row's first one, as the target of the position before it.
Targets nextTokensOf(const RowBlock& rows, const std::vector<std::int32_t>& ids)
{
    const auto length = static_cast<std::size_t>(rows.sequenceLength);
    Targets next;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        const bool endsRow = (i + 1) % length == 0;
        if (endsRow || !rows.inputMask[i + 1])
            continue;
        next.positions.push_back(static_cast<std::int64_t>(i));
        next.labels.push_back(ids[i + 1]);
    }
    return next;
}

void setTargets(TokenBatch& batch, const Targets& targets)
{
    const auto count = static_cast<std::int64_t>(targets.positions.size());
    batch.targetPositions = toTensor(targets.positions, {count});
    batch.targets = toTensor(targets.labels, {count});
}

/// The tokens that have a label; of a decoder, which predicts the next token, the position before each.
Targets labelledOf(const RowBlock& rows, std::int64_t before)
{
    const auto length = static_cast<std::size_t>(rows.sequenceLength);
    Targets labelled;
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
        const bool isFirst = i % length == 0; // nothing in the row predicts it
        if (rows.labels[i] == RowBlock::kNoLabel || (isFirst && before > 0))
            continue;
        labelled.positions.push_back(static_cast<std::int64_t>(i) - before);
        labelled.labels.push_back(rows.labels[i]);
    }
    return labelled;
}

TokenBatch encoderInput(const RowBlock& rows, at::IntArrayRef shape)
{
    TokenBatch batch;
    batch.inputIds = toTensor(rows.inputIds, shape);
    batch.tokenTypeIds = toTensor(rows.segmentIds, shape);
    batch.attentionMask = toTensor(rows.inputMask, shape);
    return batch;
}

TokenBatch encoderBatch(const RowBlock& rows, at::IntArrayRef shape)
{
    TokenBatch batch = encoderInput(rows, shape);
    batch.sequenceLabels = toTensor(rows.nextSentenceLabels, {shape[0]});
    setTargets(batch, maskedOf(rows));
    return batch;
}

// No attention mask is needed, because padding comes after all tokens.
TokenBatch decoderBatch(const RowBlock& rows, at::IntArrayRef shape)
{
    const std::vector<std::int32_t> ids = unmaskedIds(rows);
    TokenBatch batch;
    batch.inputIds = toTensor(ids, shape);
    batch.tokenTypeIds = toTensor(rows.segmentIds, shape);
    setTargets(batch, nextTokensOf(rows, ids));
    return batch;
}

TokenBatch completionBatch(const RowBlock& rows, at::IntArrayRef shape)
{
    TokenBatch batch;
    batch.inputIds = toTensor(rows.inputIds, shape);
    setTargets(batch, labelledOf(rows, 1));
    return batch;
}

/// First and last position of each answer.
at::Tensor answersOf(const RowBlock& rows)
{
    const auto count = static_cast<std::int64_t>(rows.rows);
    return at::stack({toTensor(rows.startPositions, {count}), toTensor(rows.endPositions, {count})}, 1);
}

at::Tensor rowLabelsOf(const RowBlock& rows)
{
    const auto count = static_cast<std::int64_t>(rows.rows);
    if (rows.task == TaskKind::Regress)
        return at::tensor(rows.values, at::kDouble);
    return rows.task == TaskKind::Answer ? answersOf(rows) : toTensor(rows.labels, {count});
}

TokenBatch taskBatch(const RowBlock& rows, at::IntArrayRef shape)
{
    if (rows.task == TaskKind::Complete)
        return completionBatch(rows, shape);
    TokenBatch batch = encoderInput(rows, shape);
    const bool tags = rows.task == TaskKind::Tag;
    setTargets(batch, tags ? labelledOf(rows, 0) : Targets());
    if (!tags)
        batch.sequenceLabels = rowLabelsOf(rows);
    return batch;
}

TokenBatch batchOf(const RowBlock& rows, ModelFamily family, at::IntArrayRef shape)
{
    if (rows.task != TaskKind::None)
        return taskBatch(rows, shape);
    return isDecoder(family) ? decoderBatch(rows, shape) : encoderBatch(rows, shape);
}

} // namespace

MicroBatch makeMicroBatch(const RowBlock& rows, ModelFamily family, std::vector<std::uint64_t> sampleIndices)
{
    TRAINYARD_CHECK(sampleIndices.size() == rows.rows);
    const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(rows.rows), rows.sequenceLength};
    MicroBatch micro;
    micro.batch = batchOf(rows, family, shape).withoutIdleMask();
    micro.batch.sampleIndices = std::move(sampleIndices);
    micro.tokens = std::accumulate(rows.inputMask.begin(), rows.inputMask.end(), std::int64_t{0});
    return micro;
}

BatchForm BatchForm::of(const RunSpec& spec, bool pinned)
{
    return {spec.model.family, spec.batch.packing, trainyard::packingMultiple(spec.layout), pinned};
}

Result<MicroBatch> makeMicroBatch(const RowBlock& rows, const BatchForm& form,
                                  std::vector<std::uint64_t> sampleIndices)
{
    MicroBatch micro = makeMicroBatch(rows, form.family, std::move(sampleIndices));
    if (form.packing) {
        TRAINYARD_TRY(const auto lengths, tokensPerRow(rows));
        micro.batch = packed(micro.batch, lengths, form.packingMultiple);
    }
    if (form.pinned)
        micro.batch = micro.batch.pinned();
    return micro;
}

} // namespace trainyard
