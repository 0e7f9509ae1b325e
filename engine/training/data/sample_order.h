#pragma once

#include <cstdint>

namespace trainyard {

/// Maps the n-th sample of a run to a row of the data set: a pure function of (seed, n), the same for any
/// number of ranks, so a run can stop anywhere and continue with another number of ranks.
///
/// Each epoch visits every row once. Rows are shuffled in two levels: blocks of consecutive rows over the
/// whole data set, then single rows within a window of blocks, so that a reader needs only one window in
/// memory. (Preparation has already shuffled rows over shards.) Any thread.
class SampleOrder {
public:
    struct Shape {
        std::uint64_t rowsPerBlock = 256;   ///< a chunk of our shards
        std::uint64_t blocksPerWindow = 64; ///< 16384 rows: 15 MiB at 128 tokens
    };

    SampleOrder(std::uint64_t rows, std::uint64_t seed, Shape shape);
    SampleOrder(std::uint64_t rows, std::uint64_t seed) : SampleOrder(rows, seed, Shape{}) {}

    std::uint64_t rows() const { return m_rows; }
    const Shape& shape() const { return m_shape; }
    std::uint64_t rowOf(std::uint64_t sample) const;

private:
    std::uint64_t shuffledInWindow(std::uint64_t epochKey, std::uint64_t position) const;
    std::uint64_t rowInBlocks(std::uint64_t epochKey, std::uint64_t position) const;

    std::uint64_t m_rows;
    std::uint64_t m_seed;
    Shape m_shape;
    std::uint64_t m_blocks;
};

} // namespace trainyard
