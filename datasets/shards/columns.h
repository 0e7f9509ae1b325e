#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "datasets/shards/row_block.h"

namespace trainyard {

/// One HDF5 dataset of a shard: where its values lie in a RowBlock and how it is stored.
struct Column {
    enum class Width { Sequence, Predictions, Scalar };

    const char* name;
    Width width;
    int bytesPerValue; ///< 4 = int32, 1 = int8, little-endian

    /// Values per row; a scalar column has rank 1 in the file.
    std::size_t valuesPerRow(int sequenceLength, int maxPredictions) const;
    std::byte* data(RowBlock& rows) const;
    const std::byte* data(const RowBlock& rows) const { return data(const_cast<RowBlock&>(rows)); }
};

/// The schema that NVIDIA's and Habana's BERT scripts and DeepSpeed's bing_bert read, in the order in which
/// they are written.
extern const std::array<Column, 6> kShardColumns;

/// Values per row at most; what claims to be wider is damaged, and must not make a reader ask for its memory.
constexpr int kWidestColumn = 65536;

/// "int32" or "int8".
std::string_view typeName(const Column& column);

} // namespace trainyard
