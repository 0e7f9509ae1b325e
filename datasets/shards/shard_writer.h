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
    int maxPredictions = 0; ///< 0: running text, input_ids alone
    bool provenance = false;
};

/// Writes one HDF5 shard from first to last row. The same rows give the same bytes: no times are stored, and
/// the chunks are laid out in the order of the rows.
///
/// Columns are stored in chunks of whole rows, byte-shuffled and deflated, so any HDF5 reader reads them and
/// a random row costs one small chunk. The compression runs in the caller's thread, outside of HDF5's global
/// lock: several shards are written at once by giving each its own thread. One thread at a time per object.
class ShardWriter {
public:
    /// Rows handed to append() at a time. 256 keeps a chunk of 512 tokens at 512 KiB.
    static constexpr std::size_t kRowsPerChunk = 256;

    static Result<ShardWriter> create(const std::filesystem::path& file, const ShardShape& shape);

    ShardWriter(ShardWriter&&) noexcept;
    ShardWriter& operator=(ShardWriter&&) noexcept;
    ~ShardWriter();

    /// Requires kRowsPerChunk rows, or what is left of the shape for the last chunk.
    Status append(const RowBlock& rows);
    /// Requires that all rows of the shape were appended. Failed when the disk could not take the rest.
    Status close();

private:
    struct State;
    explicit ShardWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
