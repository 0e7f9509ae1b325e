#include "engine/training/data/batch_maker.h"

#include <array>
#include <numeric>

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

TokenBatch encoderBatch(const RowBlock& rows, at::IntArrayRef shape)
{
    TokenBatch batch;
    batch.inputIds = toTensor(rows.inputIds, shape);
    batch.tokenTypeIds = toTensor(rows.segmentIds, shape);
    batch.attentionMask = toTensor(rows.inputMask, shape);
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

} // namespace

MicroBatch makeMicroBatch(const RowBlock& rows, ModelFamily family, std::vector<std::uint64_t> sampleIndices)
{
    TRAINYARD_CHECK(sampleIndices.size() == rows.rows);
    const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(rows.rows), rows.sequenceLength};
    MicroBatch micro;
    micro.batch = family == ModelFamily::Gpt ? decoderBatch(rows, shape) : encoderBatch(rows, shape);
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
