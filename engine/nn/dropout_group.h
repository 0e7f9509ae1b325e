#pragma once

#include <cstdint>

#include "engine/base/kernel.h"
#include "engine/base/philox.h"
#include "engine/nn/dropout_mask.h"

namespace trainyard {

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
/// (e / 64) * 16 + e % 16 (dropout_mask.h).
TRAINYARD_HOST_DEVICE inline void fillDropoutLane(const MaskTarget& target, std::int64_t group,
                                                  std::int64_t lane, std::uint32_t dropBelow,
                                                  const DropoutStream& site)
{
    const std::int64_t inSample = target.firstElement / kDropoutGroup + group;
    const auto block = static_cast<std::uint32_t>(inSample * kDropoutLanes + lane);
    const PhiloxCounter words = philox(dropoutCounter(block, site.step, site.site, target.sample), site.key);
    for (int word = 0; word < 4; ++word) {
        const std::int64_t element =
            inSample * kDropoutGroup + word * kDropoutLanes + lane - target.firstElement;
        if (element >= 0 && element < target.count)
            target.mask[element] = words[static_cast<std::size_t>(word)] >= dropBelow ? 1 : 0;
    }
}

} // namespace trainyard
