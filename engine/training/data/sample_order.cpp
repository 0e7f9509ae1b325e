#include "engine/training/data/sample_order.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/training/data/permutation.h"

namespace trainyard {

SampleOrder::SampleOrder(std::uint64_t rows, std::uint64_t seed, Shape shape)
    : m_rows(rows)
    , m_seed(seed)
    , m_shape(shape)
    , m_blocks((rows + shape.rowsPerBlock - 1) / shape.rowsPerBlock)
{
    TRAINYARD_CHECK(rows > 0 && shape.rowsPerBlock > 0 && shape.blocksPerWindow > 0);
}

std::uint64_t SampleOrder::rowOf(std::uint64_t sample) const
{
    const std::uint64_t epochKey = mixKey(m_seed, sample / m_rows);
    return rowInBlocks(epochKey, shuffledInWindow(epochKey, sample % m_rows));
}

std::uint64_t SampleOrder::shuffledInWindow(std::uint64_t epochKey, std::uint64_t position) const
{
    // Two levels: blocks in random order over the whole epoch, rows in random order within a window of
    // blocks. A full shuffle would make every row a random read.
    const std::uint64_t windowRows = m_shape.rowsPerBlock * m_shape.blocksPerWindow;
    const std::uint64_t window = position / windowRows;
    const std::uint64_t first = window * windowRows;
    const Permutation order(std::min(windowRows, m_rows - first), mixKey(epochKey, window + 1));
    return first + order.at(position - first);
}

/// The last block may be shorter than the others; the rows after it in the epoch's order move up.
std::uint64_t SampleOrder::rowInBlocks(std::uint64_t epochKey, std::uint64_t position) const
{
    const std::uint64_t size = m_shape.rowsPerBlock;
    const Permutation order(m_blocks, mixKey(epochKey, 0));
    const std::uint64_t lastBlockRows = m_rows - (m_blocks - 1) * size;
    const std::uint64_t lastBlockFirst = order.inverse(m_blocks - 1) * size;
    if (position >= lastBlockFirst && position < lastBlockFirst + lastBlockRows)
        return (m_blocks - 1) * size + (position - lastBlockFirst);
    if (position >= lastBlockFirst)
        position += size - lastBlockRows;
    return order.at(position / size) * size + position % size;
}

} // namespace trainyard
