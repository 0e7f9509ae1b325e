#pragma once

#include <cstdint>

namespace trainyard {

/// A shuffle of 0 .. size-1 that is computed instead of stored: a Feistel network over the next even power of
/// two with cycle walking (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). Each key gives
/// a different order, the same on every machine. Constant memory, any thread.
class Permutation {
public:
    Permutation(std::uint64_t size, std::uint64_t key);

    std::uint64_t size() const { return m_size; }
    /// Requires index < size().
    std::uint64_t at(std::uint64_t index) const;
    /// inverse(at(i)) == i.
    std::uint64_t inverse(std::uint64_t value) const;

private:
    static constexpr int kRounds = 6;
    std::uint64_t roundKey(int round, std::uint64_t half) const;
    std::uint64_t encrypt(std::uint64_t value) const;
    std::uint64_t decrypt(std::uint64_t value) const;

    std::uint64_t m_size;
    std::uint64_t m_key;
    int m_halfBits;
    std::uint64_t m_halfMask;
};

/// Mixes values into a key; every bit of the result depends on every bit of each value (splitmix64).
std::uint64_t mixKey(std::uint64_t first, std::uint64_t second);

} // namespace trainyard
