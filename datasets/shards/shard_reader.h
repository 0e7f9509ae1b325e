#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "datasets/shards/row_block.h"
#include "engine/base/result.h"

namespace trainyard {

/// Reads rows of one HDF5 shard, in any order. Shards of ours and of NVIDIA's scripts look the same to it.
/// One thread at a time per object; HDF5 itself serialises all readers of a process.
class ShardReader {
public:
    /// Checks names, types and shapes of the columns before the first read. BadInput names the file, the
    /// column and what was expected when one is wrong or the file is truncated. With 0 predictions the shard
    /// holds running text, input_ids alone. Where a row comes from is read only when asked for.
    static Result<ShardReader> open(const std::filesystem::path& file, int sequenceLength, int maxPredictions,
                                    bool provenance = false);

    ShardReader(ShardReader&&) noexcept;
    ShardReader& operator=(ShardReader&&) noexcept;
    ~ShardReader();

    std::uint64_t rows() const;

    /// Replaces the content of `out` by `count` rows from `firstRow` on. Requires firstRow + count <= rows().
    Status read(std::uint64_t firstRow, std::size_t count, RowBlock& out);

private:
    struct State;
    explicit ShardReader(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

/// What a shard without a manifest beside it holds.
struct FoundShape {
    int sequenceLength = 0;
    int maxPredictions = 0; ///< 0 when input_ids is the only column that is known here
    bool provenance = false;
};
Result<FoundShape> readShardShape(const std::filesystem::path& file);

} // namespace trainyard
