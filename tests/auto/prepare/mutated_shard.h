#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>

#include "datasets/shards/columns.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/shards/shard_writer.h"
#include "datasets/verification/verification.h"

namespace trainyard {

using Mutation = std::function<void(RowBlock&)>;

inline Result<VerificationReport> verify(const VerifyOptions& options)
{
    Progress progress;
    const CancelFlag cancel;
    return verifyDataset(options, progress, cancel);
}

/// All rows of a shard, whatever it holds.
inline Result<RowBlock> readShard(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const FoundShape shape, readShardShape(file));
    TRAINYARD_TRY(ShardReader reader,
                  ShardReader::open(file, shape.sequenceLength, shape.maxPredictions, shape.provenance));
    RowBlock rows;
    TRAINYARD_TRY_STATUS(reader.read(0, static_cast<std::size_t>(reader.rows()), rows));
    return rows;
}

inline RowBlock partOf(const RowBlock& rows, std::size_t first, std::size_t count)
{
    RowBlock part(rows.sequenceLength, rows.maxPredictions, rows.provenance);
    part.resize(count);
    for (const Column& column : columnsOf(rows.maxPredictions, rows.provenance)) {
        const std::size_t rowBytes = column.valuesPerRow(rows.sequenceLength, rows.maxPredictions) *
                                     static_cast<std::size_t>(column.bytesPerValue);
        std::memcpy(column.data(part), column.data(rows) + first * rowBytes, count * rowBytes);
    }
    return part;
}

/// Rewrites a shard with changed rows.
inline Status mutate(const std::filesystem::path& file, const Mutation& mutation)
{
    TRAINYARD_TRY(RowBlock rows, readShard(file));
    mutation(rows);
    std::filesystem::remove(file);
    TRAINYARD_TRY(ShardWriter writer, ShardWriter::create(file, {rows.rows, rows.sequenceLength,
                                                                 rows.maxPredictions, rows.provenance}));
    for (std::size_t first = 0; first < rows.rows; first += ShardWriter::kRowsPerChunk)
        TRAINYARD_TRY_STATUS(
            writer.append(partOf(rows, first, std::min(ShardWriter::kRowsPerChunk, rows.rows - first))));
    return writer.close();
}

} // namespace trainyard
