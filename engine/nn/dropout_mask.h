#pragma once

#include <cstdint>
#include <span>

#include "engine/base/kernel.h"
#include "engine/base/philox.h"

namespace trainyard {

constexpr std::uint32_t kDropoutSites = 4096;

/// The random words of one sample at one dropout site: element e uses word (e / 16) % 4 of the Philox block
/// (e / 64) * 16 + e % 16, an order in which 16 blocks can be computed side by side and stored in rows.
/// Counter: {low block, step, low sample index, site << 20 | high sample index}; key: seed, of which the high
/// half is changed by the high block.
struct DropoutStream {
    PhiloxKey key{};
    std::uint32_t step = 0;
    std::uint32_t site = 0;   ///< below kDropoutSites
    std::uint64_t sample = 0; ///< below 2^52
};

/// What is dropped at a site: elements whose word is below `dropBelow`; the others are multiplied by `scale`.
struct DropoutRates {
    std::uint32_t dropBelow = 0; ///< 0: nothing is dropped
    double scale = 1;            ///< 1 / probability to be kept
    DropoutStream site{};        ///< its `sample` does not count
};

TRAINYARD_HOST_DEVICE inline PhiloxCounter dropoutCounter(std::uint32_t block, std::uint32_t step,
                                                          std::uint32_t site, std::uint64_t sample)
{
    return {block, step, static_cast<std::uint32_t>(sample),
            site << 20 | static_cast<std::uint32_t>(sample >> 32)};
}

/// Of a sample with more than 2^34 elements: the counter has 32 bits for the block.
TRAINYARD_HOST_DEVICE inline PhiloxKey dropoutKey(std::int64_t block, const PhiloxKey& seed)
{
    return {seed[0], seed[1] ^ static_cast<std::uint32_t>(block >> 32)};
}

/// The four words of a block of the sample.
TRAINYARD_HOST_DEVICE inline PhiloxCounter dropoutWords(std::int64_t block, std::uint64_t sample,
                                                        const DropoutStream& site)
{
    return philox(dropoutCounter(static_cast<std::uint32_t>(block), site.step, site.site, sample),
                  dropoutKey(block, site.key));
}

/// Elements computed together: calls that begin at a multiple of it are fastest.
constexpr std::int64_t kDropoutGroup = 64;

/// mask[i] = 1 where element firstElement + i is kept, else 0. An element is dropped when its word is below
/// `dropBelow`.
void fillDropoutMask(std::uint8_t* mask, std::int64_t firstElement, std::int64_t count,
                     std::uint32_t dropBelow, const DropoutStream& stream);

/// Elements of a sample at a dropout site, and where their mask lies.
struct MaskTarget {
    std::uint8_t* mask = nullptr; ///< of element `firstElement`
    std::int64_t firstElement = 0;
    std::int64_t count = 0;
    std::uint64_t sample = 0;
};

/// Threads that fill a group of kDropoutGroup elements together, and how many groups a target touches.
constexpr std::int64_t kDropoutLanes = 16;
TRAINYARD_HOST_DEVICE inline std::int64_t dropoutGroups(const MaskTarget& target)
{
    return (target.firstElement + target.count + kDropoutGroup - 1) / kDropoutGroup -
           target.firstElement / kDropoutGroup;
}

/// The part of a device's thread in fillDropoutMask(): of the target's `group`-th group the four elements
/// that the words of Philox block `lane` decide. Element e of a sample has word (e / 16) % 4 of block
/// (e / 64) * 16 + e % 16.
TRAINYARD_HOST_DEVICE inline void fillDropoutLane(const MaskTarget& target, std::int64_t group,
                                                  std::int64_t lane, std::uint32_t dropBelow,
                                                  const DropoutStream& site)
{
    const std::int64_t inSample = target.firstElement / kDropoutGroup + group;
    const PhiloxCounter words = dropoutWords(inSample * kDropoutLanes + lane, target.sample, site);
    for (int word = 0; word < 4; ++word) {
        const std::int64_t element =
            inSample * kDropoutGroup + word * kDropoutLanes + lane - target.firstElement;
        if (element >= 0 && element < target.count)
            target.mask[element] = words[static_cast<std::size_t>(word)] >= dropBelow ? 1 : 0;
    }
}

/// Consecutive elements of one sample's tensor at a dropout site.
struct DropoutPart {
    std::uint64_t sample = 0; ///< global sample index
    std::int64_t firstElement = 0;
    std::int64_t count = 0;
};

/// Draws dropout masks in a device's memory: bit for bit what fillDropoutMask() draws in the host's.
class DropoutMasks {
public:
    virtual ~DropoutMasks() = default;

    /// mask[..] = 1 where an element is kept, else 0, for the elements of all parts, one part behind the
    /// other. An element is dropped when its word is below `dropBelow`; `site.sample` does not count. Done
    /// for whatever the calling thread gives the device afterwards.
    virtual void fill(std::uint8_t* mask, std::span<const DropoutPart> parts, std::uint32_t dropBelow,
                      const DropoutStream& site) const = 0;
};

} // namespace trainyard
