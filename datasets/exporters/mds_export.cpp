#include "datasets/exporters/mds_export.h"

#include <algorithm>

#include "datasets/exporters/mds_writer.h"
#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kRowsPerRead = 256;

/// The columns of a row, ascending by name.
std::vector<MdsColumn> mdsColumnsOf(const FoundShape& shape)
{
    const auto bytes = [](int values) { return static_cast<std::uint32_t>(values) * 4; };
    const std::uint32_t sequence = bytes(shape.sequenceLength), predictions = bytes(shape.maxPredictions);
    if (shape.maxPredictions == 0)
        return {{"input_ids", sequence}};
    return {{"input_ids", sequence},
            {"input_mask", sequence},
            {"masked_lm_ids", predictions},
            {"masked_lm_positions", predictions},
            {"masked_lm_weights", predictions},
            {"next_sentence_labels", bytes(1)},
            {"segment_ids", sequence}};
}

/// Splits rows into their columns, in the order of mdsColumnsOf(); valid until the next row.
class MdsRow {
public:
    const std::vector<std::string_view>& of(const RowBlock& rows, std::size_t row)
    {
        const auto length = static_cast<std::size_t>(rows.sequenceLength);
        const auto predictions = static_cast<std::size_t>(rows.maxPredictions);
        m_columns = {bytes(rows.inputIds.data() + row * length, length)};
        if (predictions > 0)
            addPredictions(rows, row, length, predictions);
        return m_columns;
    }

private:
    void addPredictions(const RowBlock& rows, std::size_t row, std::size_t length, std::size_t predictions)
    {
        widen(rows.inputMask, row, length, m_mask);
        widen(rows.segmentIds, row, length, m_segments);
        m_label = rows.nextSentenceLabels[row];
        const std::int32_t* positions = rows.maskedPositions.data() + row * predictions;
        m_weights.resize(predictions);
        std::transform(positions, positions + predictions, m_weights.begin(),
                       [](std::int32_t position) { return position == 0 ? 0 : 1; });
        for (const std::string_view column :
             {bytes(m_mask.data(), length), bytes(rows.maskedIds.data() + row * predictions, predictions),
              bytes(positions, predictions), bytes(m_weights.data(), predictions), bytes(&m_label, 1),
              bytes(m_segments.data(), length)})
            m_columns.push_back(column);
    }
    static std::string_view bytes(const std::int32_t* values, std::size_t count)
    {
        return {reinterpret_cast<const char*>(values), count * sizeof(std::int32_t)};
    }
    static void widen(const std::vector<std::int8_t>& column, std::size_t row, std::size_t width,
                      std::vector<std::int32_t>& out)
    {
        const auto begin = column.begin() + static_cast<std::ptrdiff_t>(row * width);
        out.assign(begin, begin + static_cast<std::ptrdiff_t>(width));
    }

    std::vector<std::string_view> m_columns;
    std::vector<std::int32_t> m_mask, m_segments, m_weights;
    std::int32_t m_label = 0;
};

Status copyRows(ShardReader& reader, MdsWriter& writer, const PieceDone& pieceDone)
{
    RowBlock rows;
    MdsRow row;
    for (std::uint64_t first = 0; first < reader.rows(); first += rows.rows) {
        const auto count = std::min<std::uint64_t>(kRowsPerRead, reader.rows() - first);
        TRAINYARD_TRY_STATUS(reader.read(first, static_cast<std::size_t>(count), rows));
        for (std::size_t i = 0; i < rows.rows; ++i)
            TRAINYARD_TRY_STATUS(writer.append(row.of(rows, i)));
        TRAINYARD_TRY_STATUS(pieceDone(rows.rows));
    }
    return {};
}

Result<std::vector<ExportEntry>> exportKind(const std::vector<fs::path>& shards, const FoundShape& shape,
                                            const fs::path& folder, const PieceDone& pieceDone)
{
    std::uint64_t rows = 0;
    for (const fs::path& shard : shards) {
        TRAINYARD_TRY(const ShardReader reader,
                      ShardReader::open(shard, shape.sequenceLength, shape.maxPredictions));
        rows += reader.rows();
    }
    if (rows == 0)
        return std::vector<ExportEntry>{};
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    MdsWriter writer(folder, mdsColumnsOf(shape), rows);
    for (const fs::path& shard : shards) {
        TRAINYARD_TRY(ShardReader reader,
                      ShardReader::open(shard, shape.sequenceLength, shape.maxPredictions));
        TRAINYARD_TRY_STATUS(copyRows(reader, writer, pieceDone));
    }
    return writer.finish();
}

} // namespace

Result<std::vector<ExportEntry>> exportMds(const fs::path& shardFolder, const std::vector<ShardEntry>& shards,
                                           const FoundShape& shape, const fs::path& target,
                                           const PieceDone& pieceDone)
{
    std::vector<ExportEntry> entries;
    for (const bool training : {true, false}) {
        const std::string kind = training ? "train" : "test";
        std::vector<fs::path> files;
        for (const ShardEntry& shard : shards) {
            if (shard.training == training)
                files.push_back(shardFolder / shard.file);
        }
        TRAINYARD_TRY(std::vector<ExportEntry> written, exportKind(files, shape, target / kind, pieceDone));
        for (ExportEntry& entry : written) {
            entry.file = kind + "/" + entry.file;
            entries.push_back(std::move(entry));
        }
    }
    return entries;
}

} // namespace trainyard
