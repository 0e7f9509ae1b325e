#include "engine/training/data/batch_maker.h"

#include <numeric>

#include "engine/base/check.h"

namespace trainyard {

namespace {

template <typename Value>
at::Tensor toTensor(const std::vector<Value>& values, at::IntArrayRef shape)
{
    at::Tensor tensor = at::empty(shape, at::kLong);
    std::copy(values.begin(), values.end(), tensor.data_ptr<std::int64_t>());
    return tensor;
}

struct Masked {
    std::vector<std::int64_t> positions; ///< flat indices into rows * sequence length
    std::vector<std::int64_t> labels;
};

Masked maskedOf(const RowBlock& rows)
{
    Masked masked;
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

} // namespace

MicroBatch makeMicroBatch(const RowBlock& rows, std::vector<std::uint64_t> sampleIndices)
{
    TRAINYARD_CHECK(sampleIndices.size() == rows.rows);
    const auto sequences = static_cast<std::int64_t>(rows.rows);
    const std::int64_t length = rows.sequenceLength;
    const Masked masked = maskedOf(rows);
    const auto maskedCount = static_cast<std::int64_t>(masked.positions.size());
    MicroBatch micro;
    micro.batch.inputIds = toTensor(rows.inputIds, {sequences, length});
    micro.batch.tokenTypeIds = toTensor(rows.segmentIds, {sequences, length});
    micro.batch.attentionMask = toTensor(rows.inputMask, {sequences, length});
    micro.batch.targetPositions = toTensor(masked.positions, {maskedCount});
    micro.batch.targets = toTensor(masked.labels, {maskedCount});
    micro.batch.sequenceLabels = toTensor(rows.nextSentenceLabels, {sequences});
    micro.batch.sampleIndices = std::move(sampleIndices);
    micro.tokens = std::accumulate(rows.inputMask.begin(), rows.inputMask.end(), std::int64_t{0});
    return micro;
}

} // namespace trainyard
