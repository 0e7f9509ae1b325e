#pragma once

#include <cstdint>

#include "engine/base/philox.h"

namespace trainyard {

/// Purpose of the numbers; part of the key, so that no two purposes share numbers. Append only: data sets
/// must be the same with every version.
enum class RandomStream : std::uint8_t { Pairs, Masks, Order, Split, Mixture };

/// Random numbers as a pure function of (seed, stream, document, pass, item, draw): the same for any number
/// of threads and any order of work. Copies continue independently.
class CounterRandom {
public:
    CounterRandom(std::uint64_t seed, RandomStream stream, std::uint32_t document, std::uint32_t pass,
                  std::uint32_t item = 0)
        : m_key(philoxKey(seed)), m_counter{0, document, pass, item << 8 | static_cast<std::uint32_t>(stream)}
    {
    }

    std::uint32_t word()
    {
        if (m_left == 0) {
            m_words = philox(m_counter, m_key);
            ++m_counter[0];
            m_left = 4;
        }
        return m_words[static_cast<std::size_t>(4 - m_left--)];
    }
    std::uint64_t doubleWord()
    {
        const std::uint64_t high = word();
        return high << 32 | word();
    }
    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(doubleWord() >> 11) * 0x1.0p-53; }
    /// Uniform in 0 .. limit-1, exactly (Lemire, arXiv:1805.10941). Requires limit > 0.
    std::uint32_t below(std::uint32_t limit)
    {
        std::uint64_t product = std::uint64_t{word()} * limit;
        if (static_cast<std::uint32_t>(product) < limit) {
            const std::uint32_t threshold = (0u - limit) % limit;
            while (static_cast<std::uint32_t>(product) < threshold)
                product = std::uint64_t{word()} * limit;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }
    /// Uniform in first .. last, both included.
    std::uint32_t between(std::uint32_t first, std::uint32_t last) { return first + below(last - first + 1); }
    /// Fair. 32 of them cost one word.
    bool coin()
    {
        if (m_coinsLeft == 0) {
            m_coins = word();
            m_coinsLeft = 32;
        }
        --m_coinsLeft;
        const bool heads = (m_coins & 1) != 0;
        m_coins >>= 1;
        return heads;
    }

private:
    PhiloxKey m_key;
    PhiloxCounter m_counter;
    PhiloxCounter m_words{};
    int m_left = 0; ///< unused words of m_words
    std::uint32_t m_coins = 0;
    int m_coinsLeft = 0;
};

} // namespace trainyard
