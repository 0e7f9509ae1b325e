#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "datasets/shards/row_block.h"
#include "engine/base/result.h"

namespace trainyard {

/// Reads rows of one HDF5 shard in any order. Supports shards of this program and of NVIDIA's scripts. One
/// thread at a time per object; HDF5 itself serialises all readers of a process.
class ShardReader {
public:
    /// Checks names, types and shapes of the columns before the first read. BadInput names the file, the
    /// column and the expected value if one is wrong or the file is truncated. With 0 predictions the shard
    /// holds running text, only input_ids. Provenance is only read on request.
    static Result<ShardReader> open(const std::filesystem::path& file, int sequenceLength, int maxPredictions,
                                    bool provenance = false);

    /// The same of a shard of a task's rows.
    static Result<ShardReader> openTask(const std::filesystem::path& file, int sequenceLength, TaskKind task);

    ShardReader(ShardReader&&) noexcept;
    ShardReader& operator=(ShardReader&&) noexcept;
    ~ShardReader();

    std::uint64_t rows() const;

    /// Replaces the content of `out` by `count` rows, starting at `firstRow`. Requires firstRow + count <=
    /// rows().
    Status read(std::uint64_t firstRow, std::size_t count, RowBlock& out);

private:
    struct State;
    static Result<ShardReader> openAs(std::unique_ptr<State> state);
    explicit ShardReader(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

/// Shape of a shard without a manifest.
struct FoundShape {
    int sequenceLength = 0;
    int maxPredictions = 0; ///< 0 if input_ids is the only known column
    bool provenance = false;
};
Result<FoundShape> readShardShape(const std::filesystem::path& file);

} // namespace trainyard
