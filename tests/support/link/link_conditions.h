#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard::link {

/// What one direction of a link does to the Ethernet frames on it. Without any condition it is a cable.
/// Shares lie in 0..1.
struct LinkConditions {
    std::chrono::microseconds delay{0}; ///< one way
    std::chrono::microseconds jitter{
        0};                 ///< each frame's delay is drawn evenly from delay ± jitter; order is kept
    double loss = 0;        ///< share of frames that vanish
    double corruption = 0;  ///< share of frames with TCP or UDP payload that get one bit flipped
    double duplication = 0; ///< share of frames that arrive twice
    double reordering = 0;  ///< share of frames held back by `hold`, so that others overtake them
    std::chrono::microseconds hold{5'000}; ///< time for which a reordered frame is held back
    std::uint64_t rate = 0;                ///< bytes per second; 0 = without limit
    std::uint64_t burst = 16 * 1024;       ///< bytes that may pass at once after a pause (token bucket)
    std::uint64_t queue = 256 * 1024;      ///< bytes that may wait for the rate; what comes then is dropped
    bool blocked = false;                  ///< nothing passes

    bool operator==(const LinkConditions&) const = default;
};

/// "delay_us=25000 loss=0.05": what differs from a cable, in the words that parseConditions() reads.
std::string toWords(const LinkConditions& conditions);

/// BadInput names the word that is not understood or out of range.
Result<LinkConditions> parseConditions(std::string_view words);

} // namespace trainyard::link
