#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace trainyard {

/// Both clocks at one instant: the monotonic one orders and measures, the wall clock is for people.
struct Instant {
    std::int64_t monotonicNs = 0;
    std::int64_t wallNs = 0; ///< since 1970-01-01 UTC
};

/// Seam for the system's clocks; tests pass their own.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Instant now() const = 0;
};

/// The system's clocks; any thread.
const Clock& systemClock();

/// "20261121T091505Z", as in the names of run directories.
std::string utcStamp(const Instant& instant);
/// "2026-11-21T09:15:05Z".
std::string utcText(std::int64_t wallNs);

} // namespace trainyard
