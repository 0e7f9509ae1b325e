#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/support/link/link_conditions.h"

namespace trainyard::link {

using TimePoint = std::chrono::steady_clock::time_point;

/// What becomes of one frame.
struct Fate {
    enum class Kind {
        Delivered,
        Blocked,
        Lost,
        Overflowed, ///< more waits for the rate than the queue holds
    };
    Kind kind = Kind::Delivered;
    TimePoint departure{};   ///< when it leaves; the rest counts only for what is delivered
    bool corrupted = false;  ///< flip the bit that `bit` chooses
    bool duplicated = false; ///< it leaves twice
    bool reordered = false;  ///< it was held back
    std::uint64_t bit = 0;   ///< any number; modulo the payload's bits
};

/// Decides for the frames of one direction. The random part of the n-th decision depends on the seed and n
/// alone, whatever the conditions were before: every frame takes the same count of random numbers.
class Impairment {
public:
    explicit Impairment(std::uint64_t seed) : m_random(seed) {}

    void set(const LinkConditions& conditions) { m_conditions = conditions; }
    /// `size` in bytes; `now` must not go back between calls.
    Fate decide(std::size_t size, TimePoint now);

private:
    double draw();
    TimePoint afterRate(std::size_t size, TimePoint now);
    bool queueIsFull(std::size_t size, TimePoint now) const;

    LinkConditions m_conditions;
    std::mt19937_64 m_random;
    TimePoint m_lineFree{};      ///< the rate is used up until then
    TimePoint m_lastDeparture{}; ///< of frames that were not held back
};

} // namespace trainyard::link
