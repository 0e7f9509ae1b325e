#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "datasets/shards/row_block.h"

namespace trainyard {

/// One HDF5 dataset of a shard: where its values lie in a RowBlock and how it is stored.
struct Column {
    enum class Width { Sequence, Predictions, Scalar };

    const char* name;
    Width width;
    int bytesPerValue; ///< of a signed little-endian integer
    std::byte* (*values)(RowBlock& rows);

    /// Values per row; a scalar column has rank 1 in the file.
    std::size_t valuesPerRow(int sequenceLength, int maxPredictions) const;
    std::byte* data(RowBlock& rows) const { return values(rows); }
    const std::byte* data(const RowBlock& rows) const { return values(const_cast<RowBlock&>(rows)); }
};

/// The schema that NVIDIA's and Habana's BERT scripts and DeepSpeed's bing_bert read, in the order in which
/// they are written.
extern const std::span<const Column, 6> kShardColumns;

/// Those, and behind them what tells where rows come from (doc_a, doc_b, sent_a, sent_b) in shards with
/// provenance; input_ids alone in shards of running text, which have no predictions.
std::span<const Column> columnsOf(int maxPredictions, bool provenance);

/// Values per row at most; what claims to be wider is damaged, and must not make a reader ask for its memory.
constexpr int kWidestColumn = 65536;

/// "int8", "int32" or "int64".
std::string_view typeName(const Column& column);

} // namespace trainyard
