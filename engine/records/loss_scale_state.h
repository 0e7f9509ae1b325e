#pragma once

#include <cstdint>

namespace trainyard {

/// The state of loss scaling, kept from step to step and in checkpoints.
struct LossScaleState {
    double scale = 0;               ///< of the next step; 0: not chosen yet
    std::int64_t cleanSteps = 0;    ///< since the scale last grew or a step overflowed
    std::int64_t overflowsLeft = 0; ///< the last of these lowers the scale, and so does every later one
    std::int64_t skippedSteps = 0;  ///< in the whole run

    bool operator==(const LossScaleState&) const = default;
};

} // namespace trainyard
