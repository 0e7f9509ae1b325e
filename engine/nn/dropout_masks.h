#pragma once

#include <cstdint>
#include <span>

#include "engine/nn/dropout_mask.h"

namespace trainyard {

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
