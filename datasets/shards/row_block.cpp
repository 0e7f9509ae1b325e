#include "datasets/shards/row_block.h"

namespace trainyard {

RowBlock::RowBlock(int sequenceLength, int maxPredictions, bool provenance)
    : sequenceLength(sequenceLength), maxPredictions(maxPredictions), provenance(provenance)
{
}

void RowBlock::resize(std::size_t count)
{
    const auto length = static_cast<std::size_t>(sequenceLength);
    const auto predictions = static_cast<std::size_t>(maxPredictions);
    rows = count;
    inputIds.resize(count * length);
    inputMask.resize(count * length);
    segmentIds.resize(count * length);
    maskedPositions.resize(count * predictions);
    maskedIds.resize(count * predictions);
    nextSentenceLabels.resize(count);
    for (auto* column : {&documentA, &documentB, &sentenceA, &sentenceB})
        column->resize(provenance ? count : 0);
}

} // namespace trainyard
