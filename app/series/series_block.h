#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/series/series_chunk.h"

namespace trainyard {

/// Blocks of a series file; SERIES_FORMAT.md describes their bytes.
enum class BlockType : std::uint32_t { Table = 0, Rows = 1, Note = 2 };

/// One column's part of a block of rows.
struct ColumnChunk {
    ChunkView view;
    ValueSummary whole;
};

/// A block within the bytes of a file.
struct SeriesBlock {
    BlockType type = BlockType::Note;
    std::uint32_t table = 0;
    std::uint64_t firstRow = 0;
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::string_view head; ///< its checksum has been verified
    std::string_view body; ///< its checksum has not: a file of many gigabytes opens in an instant
    std::uint32_t bodyChecksum = 0;

    bool isIntact() const; ///< reads the whole body
    std::size_t size() const { return head.size() + body.size(); }
    /// Of a block of rows.
    ColumnChunk column(std::size_t index) const;
};

/// The block at the start of `bytes`; nullopt if it is cut off or its head is damaged.
std::optional<SeriesBlock> parseBlock(std::string_view bytes);

/// A table's definition or a note.
std::string encodeBlock(BlockType type, std::uint32_t table, std::string_view body);
/// Rows of a table; all columns have the same number. Requires a firstRow that is a multiple of kChunkRows.
std::string encodeRows(std::uint32_t table, std::uint64_t firstRow, std::span<const ColumnChunk> columns);

} // namespace trainyard
