#include "engine/training/data/row_source.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

void appendRows(RowBlock& out, const RowBlock& from, std::size_t firstRow, std::size_t rows)
{
    const auto append = [&](auto column) {
        const auto& values = from.*column;
        const std::size_t width = values.size() / from.rows; // 0 of columns that the rows do not have
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(firstRow * width);
        (out.*column).insert((out.*column).end(), first, first + static_cast<std::ptrdiff_t>(rows * width));
    };
    append(&RowBlock::inputIds);
    append(&RowBlock::inputMask);
    append(&RowBlock::segmentIds);
    append(&RowBlock::maskedPositions);
    append(&RowBlock::maskedIds);
    append(&RowBlock::nextSentenceLabels);
    append(&RowBlock::labels);
    append(&RowBlock::values);
    append(&RowBlock::startPositions);
    append(&RowBlock::endPositions);
    append(&RowBlock::questions);
    append(&RowBlock::tokenBegins);
    append(&RowBlock::tokenEnds);
    out.rows += rows;
}

} // namespace

void appendRow(RowBlock& out, const RowView& row)
{
    appendRows(out, *row.block, row.row, 1);
}

RowBlock emptyRows(const RowBlock& like)
{
    return like.task == TaskKind::None ? RowBlock(like.sequenceLength, like.maxPredictions)
                                       : RowBlock(like.sequenceLength, like.task);
}

RowBlock emptyRows(const Manifest& manifest)
{
    return manifest.taskKind() == TaskKind::None ? RowBlock(manifest.sequenceLength, manifest.maxPredictions)
                                                 : RowBlock(manifest.sequenceLength, manifest.taskKind());
}

void appendFiller(RowBlock& out, std::size_t rows)
{
    const std::size_t first = out.rows;
    const std::size_t labelled = out.labels.size();
    out.resize(first + rows);
    std::fill(out.labels.begin() + static_cast<std::ptrdiff_t>(labelled), out.labels.end(),
              RowBlock::kNoLabel);
    for (std::size_t row = first; row < out.rows; ++row) // attention over no token at all has no result
        out.inputMask[row * static_cast<std::size_t>(out.sequenceLength)] = 1;
}

Result<RowSource> RowSource::open(const std::filesystem::path& folder, const Manifest& manifest,
                                  std::uint64_t rowsPerBlock, std::size_t blocksInMemory, Split split,
                                  std::size_t openShards)
{
    const bool training = split == Split::Training;
    RowSource source(ShardReaders(folder, manifest, training, openShards));
    source.m_empty = emptyRows(manifest);
    source.m_labels = LabelRange::of(manifest);
    source.m_rowsPerBlock = rowsPerBlock;
    source.m_blocksInMemory = blocksInMemory;
    source.m_firstRows.push_back(0);
    for (std::size_t shard = 0; shard < source.m_shards.count(); ++shard)
        source.m_firstRows.push_back(source.m_firstRows.back() + source.m_shards.rowsOf(shard));
    TRAINYARD_TRY_STATUS(source.m_shards.check());
    if (source.rows() == 0)
        return badInput(
            fmt::format("the data set {} has no {} rows", folder.string(), training ? "training" : "test"),
            manifest.taskKind() == TaskKind::None ? "prepare it again from a larger dump"
                                                  : "prepare it again from more examples");
    return source;
}

Result<RowBlock> RowSource::readBlock(std::uint64_t number)
{
    std::uint64_t row = number * m_rowsPerBlock;
    const std::uint64_t end = std::min(row + m_rowsPerBlock, rows());
    RowBlock whole = m_empty;
    RowBlock part = m_empty;
    while (row < end) {
        const auto next = std::upper_bound(m_firstRows.begin(), m_firstRows.end(), row);
        const auto shard = static_cast<std::size_t>(next - m_firstRows.begin()) - 1;
        const std::uint64_t count = std::min(end, *next) - row;
        const std::uint64_t first = row - m_firstRows[shard];
        TRAINYARD_TRY(ShardReader* const reader, m_shards.reader(shard));
        TRAINYARD_TRY_STATUS(reader->read(first, count, part));
        TRAINYARD_TRY_STATUS(m_labels.check(part, m_shards.fileOf(shard), first));
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
