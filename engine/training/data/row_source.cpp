#include "engine/training/data/row_source.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

template <typename Value>
void appendValues(std::vector<Value>& out, const std::vector<Value>& from, std::size_t firstRow,
                  std::size_t rows, int perRow)
{
    const auto width = static_cast<std::size_t>(perRow);
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(firstRow * width);
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(rows * width));
}

void appendRows(RowBlock& out, const RowBlock& from, std::size_t firstRow, std::size_t rows)
{
    appendValues(out.inputIds, from.inputIds, firstRow, rows, from.sequenceLength);
    appendValues(out.inputMask, from.inputMask, firstRow, rows, from.sequenceLength);
    appendValues(out.segmentIds, from.segmentIds, firstRow, rows, from.sequenceLength);
    appendValues(out.maskedPositions, from.maskedPositions, firstRow, rows, from.maxPredictions);
    appendValues(out.maskedIds, from.maskedIds, firstRow, rows, from.maxPredictions);
    appendValues(out.nextSentenceLabels, from.nextSentenceLabels, firstRow, rows, 1);
    out.rows += rows;
}

} // namespace

void appendRow(RowBlock& out, const RowView& row)
{
    appendRows(out, *row.block, row.row, 1);
}

void appendFiller(RowBlock& out, std::size_t rows)
{
    const std::size_t first = out.rows;
    out.resize(first + rows);
    for (std::size_t row = first; row < out.rows; ++row) // attention over no token at all has no result
        out.inputMask[row * static_cast<std::size_t>(out.sequenceLength)] = 1;
}

Result<RowSource> RowSource::open(const std::filesystem::path& folder, const Manifest& manifest,
                                  std::uint64_t rowsPerBlock, std::size_t blocksInMemory, Split split)
{
    const bool training = split == Split::Training;
    RowSource source;
    source.m_sequenceLength = manifest.sequenceLength;
    source.m_maxPredictions = manifest.maxPredictions;
    source.m_rowsPerBlock = rowsPerBlock;
    source.m_blocksInMemory = blocksInMemory;
    source.m_firstRows.push_back(0);
    for (const ShardEntry& entry : manifest.shards) {
        if (entry.training != training)
            continue;
        const auto file = folder / entry.file;
        TRAINYARD_TRY(ShardReader shard,
                      ShardReader::open(file, manifest.sequenceLength, manifest.maxPredictions));
        if (shard.rows() != entry.rows)
            return badInput(fmt::format("{} has {} rows, but its manifest says {}", file.string(),
                                        shard.rows(), entry.rows),
                            "the file is not the one that was prepared; copy the data set again");
        source.m_shards.push_back(std::move(shard));
        source.m_firstRows.push_back(source.m_firstRows.back() + entry.rows);
    }
    if (source.rows() == 0)
        return badInput(
            fmt::format("the data set {} has no {} rows", folder.string(), training ? "training" : "test"),
            "prepare it again from a larger dump");
    return source;
}

Result<RowBlock> RowSource::readBlock(std::uint64_t number)
{
    std::uint64_t row = number * m_rowsPerBlock;
    const std::uint64_t end = std::min(row + m_rowsPerBlock, rows());
    RowBlock whole(m_sequenceLength, m_maxPredictions);
    RowBlock part(m_sequenceLength, m_maxPredictions);
    while (row < end) {
        const auto next = std::upper_bound(m_firstRows.begin(), m_firstRows.end(), row);
        const auto shard = static_cast<std::size_t>(next - m_firstRows.begin()) - 1;
        const std::uint64_t count = std::min(end, *next) - row;
        TRAINYARD_TRY_STATUS(m_shards[shard].read(row - m_firstRows[shard], count, part));
        appendRows(whole, part, 0, count);
        row += count;
    }
    return whole;
}

Result<const RowBlock*> RowSource::block(std::uint64_t number)
{
    if (const auto cached = m_blockOf.find(number); cached != m_blockOf.end()) {
        m_blocks.splice(m_blocks.begin(), m_blocks, cached->second);
        return &m_blocks.front().rows;
    }
    TRAINYARD_TRY(RowBlock rows, readBlock(number));
    // Drops the least recently used block. Samples are shuffled within a window of this many blocks, so each
    // block of a window is read once.
    if (m_blocks.size() == m_blocksInMemory) {
        m_blockOf.erase(m_blocks.back().number);
        m_blocks.pop_back();
    }
    m_blocks.push_front({number, std::move(rows)});
    m_blockOf[number] = m_blocks.begin();
    return &m_blocks.front().rows;
}

Result<RowView> RowSource::row(std::uint64_t row)
{
    TRAINYARD_CHECK(row < rows());
    TRAINYARD_TRY(const RowBlock* const rows, block(row / m_rowsPerBlock));
    return RowView{rows, static_cast<std::size_t>(row % m_rowsPerBlock)};
}

} // namespace trainyard
