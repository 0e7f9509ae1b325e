#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include "tests/support/link/impairment.h"

namespace trainyard::link {

/// Frames of one direction since the link was made.
struct LinkCounters {
    std::uint64_t frames = 0; ///< that came
    std::uint64_t bytes = 0;  ///< in them
    std::uint64_t delivered = 0;
    std::uint64_t blocked = 0;
    std::uint64_t lost = 0;
    std::uint64_t overflowed = 0; ///< dropped because too much waited
    std::uint64_t corrupted = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t reordered = 0;
    std::uint64_t refused = 0; ///< the interface at the other end did not take it: it is down
};

/// One direction of the link: takes frames from one descriptor, does to them what the conditions say, and
/// gives them to another in their time. At most 64 MiB wait. One thread.
class Relay {
public:
    Relay(int from, int to, std::uint64_t seed) : m_from(from), m_to(to), m_impairment(seed) {}

    void set(const LinkConditions& conditions) { m_impairment.set(conditions); }
    const LinkCounters& counters() const { return m_counters; }

    /// Reads what is there, a bounded number of frames. Failed when the interface is gone.
    Status take(TimePoint now);
    /// Sends what is due.
    void give(TimePoint now);
    /// When the next frame is due; TimePoint::max() when none waits.
    TimePoint nextDeparture() const;

private:
    using Frame = std::vector<std::uint8_t>;
    struct Waiting {
        TimePoint departure;
        std::uint64_t order; ///< what leaves at the same time leaves in the order in which it came
        Frame frame;

        bool operator>(const Waiting& other) const
        {
            return departure != other.departure ? departure > other.departure : order > other.order;
        }
    };
    void judge(Frame frame, TimePoint now);
    void enqueue(Frame frame, TimePoint departure);

    int m_from, m_to;
    Impairment m_impairment;
    LinkCounters m_counters;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> m_waiting;
    std::uint64_t m_waitingBytes = 0;
    std::uint64_t m_order = 0;
};

} // namespace trainyard::link
