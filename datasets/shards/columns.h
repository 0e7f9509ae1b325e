#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "datasets/shards/row_block.h"

namespace trainyard {

/// One HDF5 dataset of a shard: its place in a RowBlock and its storage.
struct Column {
    enum class Width { Sequence, Predictions, Scalar };

    const char* name;
    Width width;
    int bytesPerValue; ///< of a signed little-endian integer, or of a floating-point number
    std::byte* (*values)(RowBlock& rows);
    bool isFloat = false;

    /// Values per row; a scalar column has rank 1 in the file.
    std::size_t valuesPerRow(int sequenceLength, int maxPredictions) const;
    std::byte* data(RowBlock& rows) const { return values(rows); }
    const std::byte* data(const RowBlock& rows) const { return values(const_cast<RowBlock&>(rows)); }
};

/// The schema that NVIDIA's and Habana's BERT scripts and DeepSpeed's bing_bert read, in writing order.
extern const std::span<const Column, 6> kShardColumns;

/// The same, followed by the provenance columns (doc_a, doc_b, sent_a, sent_b) in shards that have them; only
/// input_ids in shards of running text, which have no predictions.
std::span<const Column> columnsOf(int maxPredictions, bool provenance);

/// input_ids and input_mask, of encoders segment_ids, and the labels of a task; see RowBlock.
std::span<const Column> taskColumns(TaskKind task);

/// Those of a block's or a shard's rows.
std::span<const Column> columnsOf(int maxPredictions, bool provenance, TaskKind task);

/// Maximum number of values per row; a larger number in a file is damage and must not make a reader allocate
/// that much.
constexpr int kWidestColumn = 65536;

/// "int8", "int32", "int64" or "float64".
std::string_view typeName(const Column& column);

} // namespace trainyard
