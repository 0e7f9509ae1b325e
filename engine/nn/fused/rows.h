#pragma once

#include <algorithm>
#include <cstdint>

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

namespace trainyard {

/// Rows that one thread handles at a time. Sums over rows are formed per block and then over the blocks in
/// their order, so they do not depend on the number of threads.
constexpr std::int64_t kRowsPerBlock = 64;

inline std::int64_t rowBlocks(std::int64_t rows)
{
    return (rows + kRowsPerBlock - 1) / kRowsPerBlock;
}

/// Calls handle(block, first row, one past the last) for every block, on all of ATen's threads.
template <typename Handle>
void forEachRowBlock(std::int64_t rows, const Handle& handle)
{
    at::parallel_for(0, rowBlocks(rows), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block)
            handle(block, block * kRowsPerBlock, std::min(rows, (block + 1) * kRowsPerBlock));
    });
}

/// Sums over rows that are being formed: zeros [blocks, sums, width].
inline at::Tensor blockSums(std::int64_t rows, std::int64_t sums, std::int64_t width, at::ScalarType type)
{
    return at::zeros({rowBlocks(rows), sums, width}, at::TensorOptions().dtype(type));
}

/// Of term(i), i = 0 .. count - 1, in sixteen partial sums: a fixed order, and room for vector registers.
template <typename W, typename Term>
inline __attribute__((always_inline)) W sumOf(std::int64_t count, const Term& term)
{
    constexpr std::int64_t kLanes = 16;
    W sums[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sums[lane] += term(i + lane);
    }
    for (; i < count; ++i)
        sums[0] += term(i);
    W sum = 0;
    for (const W partial : sums)
        sum += partial;
    return sum;
}

} // namespace trainyard
