#include "datasets/shards/row_block.h"

namespace trainyard {

RowBlock::RowBlock(int sequenceLength, int maxPredictions, bool provenance)
    : sequenceLength(sequenceLength), maxPredictions(maxPredictions), provenance(provenance)
{
}

RowBlock::RowBlock(int sequenceLength, TaskKind task) : sequenceLength(sequenceLength), task(task) {}

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
    const bool answers = task == TaskKind::Answer;
    const bool labelsTokens = task == TaskKind::Tag || task == TaskKind::Complete;
    labels.resize(task == TaskKind::Classify ? count : labelsTokens ? count * length : 0);
    values.resize(task == TaskKind::Regress ? count : 0);
    startPositions.resize(answers ? count : 0);
    endPositions.resize(answers ? count : 0);
    questions.resize(answers ? count : 0);
    tokenBegins.resize(answers ? count * length : 0);
    tokenEnds.resize(answers ? count * length : 0);
}

} // namespace trainyard
