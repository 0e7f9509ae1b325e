#include "engine/base/wall_clock_watch.h"

#include <utility>

namespace trainyard {

std::optional<std::chrono::milliseconds> WallClockWatch::look(const Instant& now)
{
    constexpr std::int64_t kNoticedNs = 1'000'000'000;
    const std::int64_t difference = now.wallNs - now.monotonicNs;
    const std::int64_t moved = difference - m_differenceNs.value_or(difference);
    if (m_differenceNs && moved >= -kNoticedNs && moved <= kNoticedNs)
        return std::nullopt;
    const bool first = !std::exchange(m_differenceNs, difference);
    return first ? std::nullopt : std::optional(std::chrono::milliseconds(moved / 1'000'000));
}

} // namespace trainyard
