#pragma once

#include <chrono>
#include <optional>

#include "engine/base/clock.h"

namespace trainyard {

/// Detects that the wall clock was set or the machine slept, by comparing it with the monotonic clock.
class WallClockWatch {
public:
    /// How far it jumped since the last call (or drifted since the last report), if that is more than a
    /// second; positive = forward.
    std::optional<std::chrono::milliseconds> look(const Instant& now);

private:
    std::optional<std::int64_t> m_differenceNs;
};

} // namespace trainyard
