#pragma once

#include <cstdint>

#include "engine/base/kernel.h"
#include "engine/nn/dropout_mask.h"

namespace trainyard {

/// Bit w is set where element w * kDropoutLanes + lane of a sample's `group`-th group is kept: the four that
/// the words of one Philox block decide, see fillDropoutLane().
TRAINYARD_HOST_DEVICE inline unsigned keptOfLane(std::int64_t group, std::int64_t lane, std::uint64_t sample,
                                                 const DropoutRates& rates)
{
    const PhiloxCounter words = dropoutWords(group * kDropoutLanes + lane, sample, rates.site);
    unsigned kept = 0;
    for (unsigned word = 0; word < 4; ++word)
        kept |= (words[word] >= rates.dropBelow ? 1u : 0u) << word;
    return kept;
}

} // namespace trainyard
