#pragma once

#include <cstdint>

#include "engine/base/kernel.h"
#include "engine/base/philox.h"

namespace trainyard {

/// The random words of one sample at one dropout site: element e uses word (e / 16) % 4 of the Philox block
/// (e / 64) * 16 + e % 16, an order in which 16 blocks can be computed side by side and stored in rows.
/// Counter: {block, step, low sample index, site << 20 | high sample index}; key: seed.
struct DropoutStream {
    PhiloxKey key{};
    std::uint32_t step = 0;
    std::uint32_t site = 0;   ///< below 4096
    std::uint64_t sample = 0; ///< below 2^52
};

TRAINYARD_HOST_DEVICE inline PhiloxCounter dropoutCounter(std::uint32_t block, std::uint32_t step,
                                                          std::uint32_t site, std::uint64_t sample)
{
    return {block, step, static_cast<std::uint32_t>(sample),
            site << 20 | static_cast<std::uint32_t>(sample >> 32)};
}

/// Elements computed together: calls that begin at a multiple of it are fastest.
constexpr std::int64_t kDropoutGroup = 64;

/// mask[i] = 1 where element firstElement + i is kept, else 0. An element is dropped when its word is below
/// `dropBelow`.
void fillDropoutMask(std::uint8_t* mask, std::int64_t firstElement, std::int64_t count,
                     std::uint32_t dropBelow, const DropoutStream& stream);

} // namespace trainyard
