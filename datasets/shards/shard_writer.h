#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "datasets/shards/row_block.h"
#include "engine/base/result.h"

namespace trainyard {

struct ShardShape {
    std::uint64_t rows = 0; ///< at least 1; known before the first row is written
    int sequenceLength = 0;
    int maxPredictions = 0; ///< 0: running text, only input_ids
    bool provenance = false;
    TaskKind task = TaskKind::None; ///< its columns instead of those of pre-training
};

/// Writes one HDF5 shard from first to last row. The same rows give the same bytes: no times are stored, and
/// the chunks are written in row order.
///
/// Columns are stored in chunks of complete rows, byte-shuffled and deflated, so any HDF5 reader can read
/// them and a random row costs one small chunk. The compression runs in the caller's thread, outside the
/// global lock of HDF5: to write several shards at the same time, use a thread for each. One thread at a time
/// per object.
class ShardWriter {
public:
    /// Number of rows per append(). 256 keeps a chunk of 512 tokens at 512 KiB.
    static constexpr std::size_t kRowsPerChunk = 256;

    static Result<ShardWriter> create(const std::filesystem::path& file, const ShardShape& shape);

    ShardWriter(ShardWriter&&) noexcept;
    ShardWriter& operator=(ShardWriter&&) noexcept;
    ~ShardWriter();

    /// Requires kRowsPerChunk rows, or the remaining rows of the shape for the last chunk.
    Status append(const RowBlock& rows);
    /// Requires that all rows of the shape were appended. Failed if the disk could not take the rest.
    Status close();

private:
    struct State;
    explicit ShardWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
