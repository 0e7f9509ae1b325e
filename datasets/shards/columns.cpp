#include "datasets/shards/columns.h"

namespace trainyard {

const std::array<Column, 6> kShardColumns{{
    {"input_ids", Column::Width::Sequence, 4},
    {"input_mask", Column::Width::Sequence, 1},
    {"segment_ids", Column::Width::Sequence, 1},
    {"masked_lm_positions", Column::Width::Predictions, 4},
    {"masked_lm_ids", Column::Width::Predictions, 4},
    {"next_sentence_labels", Column::Width::Scalar, 1},
}};

std::size_t Column::valuesPerRow(int sequenceLength, int maxPredictions) const
{
    switch (width) {
    case Width::Sequence:
        return static_cast<std::size_t>(sequenceLength);
    case Width::Predictions:
        return static_cast<std::size_t>(maxPredictions);
    case Width::Scalar:
        break;
    }
    return 1;
}

std::byte* Column::data(RowBlock& rows) const
{
    const std::array<void*, 6> vectors{rows.inputIds.data(),   rows.inputMask.data(),
                                       rows.segmentIds.data(), rows.maskedPositions.data(),
                                       rows.maskedIds.data(),  rows.nextSentenceLabels.data()};
    return static_cast<std::byte*>(vectors[static_cast<std::size_t>(this - kShardColumns.data())]);
}

std::string_view typeName(const Column& column)
{
    return column.bytesPerValue == 4 ? "int32" : "int8";
}

} // namespace trainyard
