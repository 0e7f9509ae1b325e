#include "app/series/series_block.h"

#include <bit>
#include <cstring>

#include "engine/base/hash.h"

namespace trainyard {

static_assert(std::endian::native == std::endian::little, "series files are little-endian");

namespace {

/// The first bytes of every block; a block of rows has a Whole of each column behind it.
struct Head {
    std::uint32_t headChecksum; ///< of what follows it, with the wholes
    std::uint32_t bodyChecksum;
    std::uint32_t type;
    std::uint32_t table;
    std::uint64_t firstRow;
    std::uint32_t rows;
    std::uint32_t columns;
    std::uint64_t bodyBytes;
};
static_assert(sizeof(Head) == 40);

struct Whole {
    double min;
    double max;
    double last;
    std::uint64_t finite;
};
static_assert(sizeof(Whole) == 32);

constexpr std::size_t kNumber = sizeof(double);
constexpr std::uint32_t kMaxColumns = 1 << 16;

std::size_t padded(std::size_t bytes)
{
    return (bytes + kNumber - 1) / kNumber * kNumber;
}

std::size_t levelBytes(std::size_t entries)
{
    return 3 * kNumber * entries + padded(sizeof(std::uint32_t) * entries);
}

std::size_t entriesOf(std::size_t level, std::size_t rows)
{
    const auto covered = std::size_t(kLevelRows[level]);
    return (rows + covered - 1) / covered;
}

std::size_t pyramidBytes(std::size_t rows)
{
    std::size_t bytes = 0;
    for (std::size_t level = 0; level < kLevelRows.size(); ++level)
        bytes += levelBytes(entriesOf(level, rows));
    return bytes;
}

std::size_t rowsBodyBytes(std::size_t rows, std::size_t columns)
{
    return columns * (pyramidBytes(rows) + rows * kNumber);
}

template <typename Value>
void put(std::string& out, const Value* values, std::size_t count)
{
    out.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
    out.resize(padded(out.size()));
}

void putPyramid(std::string& out, const ChunkView& view)
{
    for (std::size_t level = 0; level < kLevelRows.size(); ++level) {
        const auto entries = std::size_t(view.entries(level));
        put(out, view.levels[level].min, entries);
        put(out, view.levels[level].max, entries);
        put(out, view.levels[level].last, entries);
        put(out, view.levels[level].finite, entries);
    }
}

SummaryLevel levelAt(const char* bytes, std::size_t entries)
{
    const auto* numbers = reinterpret_cast<const double*>(bytes);
    return {numbers, numbers + entries, numbers + 2 * entries,
            reinterpret_cast<const std::uint32_t*>(numbers + 3 * entries)};
}

std::string sealed(Head head, std::string_view wholes, const std::string& body)
{
    head.bodyBytes = body.size();
    head.bodyChecksum = checksum32(body);
    std::string out(reinterpret_cast<const char*>(&head), sizeof head);
    out.append(wholes);
    const std::uint32_t checksum = checksum32(std::string_view(out).substr(sizeof checksum));
    std::memcpy(out.data(), &checksum, sizeof checksum);
    return out + body;
}

/// What a head says of the block's size agrees with itself.
bool isPlausible(const Head& head)
{
    if (head.bodyBytes % kNumber != 0)
        return false;
    if (head.type != std::uint32_t(BlockType::Rows))
        return head.columns == 0;
    return head.columns <= kMaxColumns && head.rows <= kChunkRows && head.firstRow % kChunkRows == 0 &&
           head.bodyBytes == rowsBodyBytes(head.rows, head.columns);
}

} // namespace

bool SeriesBlock::isIntact() const
{
    return checksum32(body) == bodyChecksum;
}

ColumnChunk SeriesBlock::column(std::size_t index) const
{
    Whole whole;
    std::memcpy(&whole, head.data() + sizeof(Head) + index * sizeof whole, sizeof whole);
    ColumnChunk chunk;
    chunk.whole = {whole.min, whole.max, whole.last, whole.finite, rows - whole.finite};
    const std::size_t pyramid = pyramidBytes(rows);
    const char* at = body.data() + index * pyramid;
    for (std::size_t level = 0; level < kLevelRows.size(); ++level) {
        const std::size_t entries = entriesOf(level, rows);
        chunk.view.levels[level] = levelAt(at, entries);
        at += levelBytes(entries);
    }
    chunk.view.rows = rows;
    chunk.view.isFinite = whole.finite == rows;
    chunk.view.values =
        reinterpret_cast<const double*>(body.data() + columns * pyramid + index * rows * kNumber);
    return chunk;
}

std::optional<SeriesBlock> parseBlock(std::string_view bytes)
{
    Head head;
    if (bytes.size() < sizeof head)
        return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    const std::size_t headBytes = sizeof head + std::size_t(head.columns) * sizeof(Whole);
    if (!isPlausible(head) || bytes.size() < headBytes || bytes.size() - headBytes < head.bodyBytes)
        return std::nullopt;
    const std::string_view whole = bytes.substr(0, headBytes);
    if (checksum32(whole.substr(sizeof head.headChecksum)) != head.headChecksum)
        return std::nullopt;
    return SeriesBlock{BlockType(head.type),
                       head.table,
                       head.firstRow,
                       head.rows,
                       head.columns,
                       whole,
                       bytes.substr(headBytes, head.bodyBytes),
                       head.bodyChecksum};
}

std::string encodeBlock(BlockType type, std::uint32_t table, std::string_view body)
{
    std::string content(body);
    content.resize(padded(content.size()));
    return sealed({.headChecksum = 0,
                   .bodyChecksum = 0,
                   .type = std::uint32_t(type),
                   .table = table,
                   .firstRow = 0,
                   .rows = std::uint32_t(body.size()),
                   .columns = 0,
                   .bodyBytes = 0},
                  {}, content);
}

std::string encodeRows(std::uint32_t table, std::uint64_t firstRow, std::span<const ColumnChunk> columns)
{
    const std::size_t rows = columns.empty() ? 0 : std::size_t(columns.front().view.rows);
    std::string wholes;
    std::string body;
    body.reserve(rowsBodyBytes(rows, columns.size()));
    for (const ColumnChunk& column : columns) {
        const Whole whole{column.whole.min, column.whole.max, column.whole.last, column.whole.finite};
        put(wholes, &whole, 1);
        putPyramid(body, column.view);
    }
    for (const ColumnChunk& column : columns)
        put(body, column.view.values, rows);
    return sealed({.headChecksum = 0,
                   .bodyChecksum = 0,
                   .type = std::uint32_t(BlockType::Rows),
                   .table = table,
                   .firstRow = firstRow,
                   .rows = std::uint32_t(rows),
                   .columns = std::uint32_t(columns.size()),
                   .bodyBytes = 0},
                  wholes, body);
}

} // namespace trainyard
