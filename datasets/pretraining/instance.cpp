#include "datasets/pretraining/instance.h"

#include <algorithm>

#include "datasets/shards/row_block.h"
#include "engine/base/check.h"

namespace trainyard {

void appendRow(const Instance& instance, RowBlock& rows)
{
    const auto length = static_cast<std::size_t>(rows.sequenceLength);
    const auto predictions = static_cast<std::size_t>(rows.maxPredictions);
    TRAINYARD_CHECK(instance.tokens.size() <= length && instance.maskedIds.size() <= predictions);
    const std::size_t row = rows.rows;
    rows.resize(row + 1);
    const auto at = [row](auto& column, std::size_t width) {
        return column.begin() + static_cast<std::ptrdiff_t>(row * width);
    };
    const std::size_t used = instance.tokens.size();
    std::copy(instance.tokens.begin(), instance.tokens.end(), at(rows.inputIds, length));
    std::fill_n(at(rows.inputMask, length), used, std::int8_t{1});
    std::fill_n(at(rows.segmentIds, length) + instance.firstSegment, used - instance.firstSegment,
                std::int8_t{1});
    std::copy(instance.maskedPositions.begin(), instance.maskedPositions.end(),
              at(rows.maskedPositions, predictions));
    std::copy(instance.maskedIds.begin(), instance.maskedIds.end(), at(rows.maskedIds, predictions));
    rows.nextSentenceLabels[row] = instance.randomNext ? 1 : 0;
}

} // namespace trainyard
