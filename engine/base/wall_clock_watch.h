#pragma once

#include <chrono>
#include <optional>

#include "engine/base/clock.h"

namespace trainyard {

/// Notices that the wall clock was set, or that the machine slept: it moved otherwise than the monotonic one.
class WallClockWatch {
public:
    /// How far it was moved since the last look (or drifted since the last answer), when that is more than a
    /// second; positive = forward.
    std::optional<std::chrono::milliseconds> look(const Instant& now);

private:
    std::optional<std::int64_t> m_differenceNs;
};

} // namespace trainyard
