#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <random>

namespace trainyard {

/// Pauses between attempts to reach a host again: at once, then 0.5, 1, 2, 4, 8, 15, 15, ... s, each
/// shortened by up to a fifth, so that many links lost together do not come back together.
class Backoff {
public:
    explicit Backoff(unsigned seed = std::random_device{}()) : m_random(seed) {}

    std::chrono::milliseconds next()
    {
        const int pause = kPauses[m_attempt];
        if (m_attempt + 1 < kPauses.size())
            ++m_attempt;
        return std::chrono::milliseconds(pause - std::uniform_int_distribution(0, pause / 5)(m_random));
    }
    void reset() { m_attempt = 0; }
    /// The host was reached, but the connection did not hold: limits the next pause to half a second.
    void shorten() { m_attempt = std::min(m_attempt, kShortened); }

private:
    static constexpr std::array kPauses{0, 500, 1'000, 2'000, 4'000, 8'000, 15'000}; // ms
    static constexpr std::size_t kShortened = 1;

    std::size_t m_attempt = 0;
    std::mt19937 m_random;
};

} // namespace trainyard
