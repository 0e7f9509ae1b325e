#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <unordered_map>
#include <vector>

#include "datasets/shards/manifest.h"
#include "datasets/shards/row_block.h"
#include "engine/base/result.h"
#include "engine/training/data/label_range.h"
#include "engine/training/data/shard_readers.h"

namespace trainyard {

/// One row in a cached block. Valid until the next call of RowSource::row().
struct RowView {
    const RowBlock* block = nullptr;
    std::size_t row = 0;
};

enum class Split {
    Training,
    Test, ///< held out: of documents that no training row comes from
};

/// The training or test rows of a data set, numbered through all their shards in the manifest's order. Keeps
/// the most recently used blocks of rows in memory. Rows of a task come with labels that were checked. One
/// thread.
class RowSource {
public:
    /// Opens the first `openShards` shards of the split and compares their row counts with the manifest; only
    /// so many are open at once. The others must be there, and are compared when they are first read.
    /// BadInput names the file.
    static Result<RowSource> open(const std::filesystem::path& folder, const Manifest& manifest,
                                  std::uint64_t rowsPerBlock, std::size_t blocksInMemory,
                                  Split split = Split::Training,
                                  std::size_t openShards = ShardReaders::kMaxOpen);

    std::uint64_t rows() const { return m_firstRows.back(); }
    /// Requires row < rows(). BadInput names the shard and the row that has an impossible label, or the shard
    /// that is not the one that was prepared.
    Result<RowView> row(std::uint64_t row);

private:
    struct CachedBlock {
        std::uint64_t number;
        RowBlock rows;
    };
    using Blocks = std::list<CachedBlock>; // most recently used first

    explicit RowSource(ShardReaders shards) : m_shards(std::move(shards)) {}
    Result<RowBlock> readBlock(std::uint64_t number);
    Result<const RowBlock*> block(std::uint64_t number);

    ShardReaders m_shards;
    std::vector<std::uint64_t> m_firstRows; // of each shard, then the sum of all
    RowBlock m_empty;                       // of the rows' shape
    LabelRange m_labels;
    std::uint64_t m_rowsPerBlock = 0;
    std::size_t m_blocksInMemory = 0;
    Blocks m_blocks;
    std::unordered_map<std::uint64_t, Blocks::iterator> m_blockOf;
};

/// No rows yet, but with the columns of those rows.
RowBlock emptyRows(const RowBlock& like);
RowBlock emptyRows(const Manifest& manifest);

/// Rows without samples: one token each, and nothing to predict. They make a batch as large as the others.
void appendFiller(RowBlock& out, std::size_t rows);

/// Appends one row to `out`; both have the same widths.
void appendRow(RowBlock& out, const RowView& row);

} // namespace trainyard
