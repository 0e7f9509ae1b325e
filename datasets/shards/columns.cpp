#include "datasets/shards/columns.h"

#include <array>

#include "engine/base/check.h"

namespace trainyard {

namespace {

using enum Column::Width;

template <auto member>
std::byte* valuesOf(RowBlock& rows)
{
    return reinterpret_cast<std::byte*>((rows.*member).data());
}

constexpr std::array<Column, 10> kAllColumns{{
    {"input_ids", Sequence, 4, valuesOf<&RowBlock::inputIds>},
    {"input_mask", Sequence, 1, valuesOf<&RowBlock::inputMask>},
    {"segment_ids", Sequence, 1, valuesOf<&RowBlock::segmentIds>},
    {"masked_lm_positions", Predictions, 4, valuesOf<&RowBlock::maskedPositions>},
    {"masked_lm_ids", Predictions, 4, valuesOf<&RowBlock::maskedIds>},
    {"next_sentence_labels", Scalar, 1, valuesOf<&RowBlock::nextSentenceLabels>},
    {"doc_a", Scalar, 8, valuesOf<&RowBlock::documentA>},
    {"doc_b", Scalar, 8, valuesOf<&RowBlock::documentB>},
    {"sent_a", Scalar, 8, valuesOf<&RowBlock::sentenceA>},
    {"sent_b", Scalar, 8, valuesOf<&RowBlock::sentenceB>},
}};

constexpr Column kIds = kAllColumns[0];
constexpr Column kMask = kAllColumns[1];
constexpr Column kSegments = kAllColumns[2];

constexpr std::array<Column, 4> kClassifyColumns{
    {kIds, kMask, kSegments, {"labels", Scalar, 4, valuesOf<&RowBlock::labels>}}};
constexpr std::array<Column, 4> kRegressColumns{
    {kIds, kMask, kSegments, {"values", Scalar, 8, valuesOf<&RowBlock::values>, true}}};
constexpr std::array<Column, 4> kTagColumns{
    {kIds, kMask, kSegments, {"labels", Sequence, 4, valuesOf<&RowBlock::labels>}}};
constexpr std::array<Column, 8> kAnswerColumns{
    {kIds,
     kMask,
     kSegments,
     {"start_positions", Scalar, 4, valuesOf<&RowBlock::startPositions>},
     {"end_positions", Scalar, 4, valuesOf<&RowBlock::endPositions>},
     {"question", Scalar, 8, valuesOf<&RowBlock::questions>},
     {"token_begins", Sequence, 4, valuesOf<&RowBlock::tokenBegins>},
     {"token_ends", Sequence, 4, valuesOf<&RowBlock::tokenEnds>}}};
constexpr std::array<Column, 3> kCompleteColumns{
    {kIds, kMask, {"labels", Sequence, 4, valuesOf<&RowBlock::labels>}}};

} // namespace

const std::span<const Column, 6> kShardColumns = std::span(kAllColumns).first<6>();

std::span<const Column> columnsOf(int maxPredictions, bool provenance)
{
    TRAINYARD_CHECK(maxPredictions > 0 || !provenance);
    if (maxPredictions == 0)
        return std::span(kAllColumns).first(1);
    return std::span(kAllColumns).first(provenance ? kAllColumns.size() : kShardColumns.size());
}

std::span<const Column> taskColumns(TaskKind task)
{
    switch (task) {
    case TaskKind::Classify:
        return kClassifyColumns;
    case TaskKind::Regress:
        return kRegressColumns;
    case TaskKind::Tag:
        return kTagColumns;
    case TaskKind::Answer:
        return kAnswerColumns;
    case TaskKind::Complete:
        return kCompleteColumns;
    case TaskKind::None:
        break;
    }
    TRAINYARD_CHECK_MSG(false, "rows of no task have no labels");
    return {};
}

std::span<const Column> columnsOf(int maxPredictions, bool provenance, TaskKind task)
{
    return task == TaskKind::None ? columnsOf(maxPredictions, provenance) : taskColumns(task);
}

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

std::string_view typeName(const Column& column)
{
    if (column.isFloat)
        return "float64";
    return column.bytesPerValue == 8 ? "int64" : column.bytesPerValue == 4 ? "int32" : "int8";
}

} // namespace trainyard
