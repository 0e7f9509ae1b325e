#pragma once

#include <array>
#include <cstdint>

namespace trainyard {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxKey philoxKey(std::uint64_t seed)
{
    return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

/// Philox4x32-10: four random words from a counter and a key, without state (Salmon, Moraes, Dror, Shaw:
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
constexpr PhiloxCounter philox(PhiloxCounter c, PhiloxKey key)
{
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * c[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * c[2];
        c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
             static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key[0] += 0x9E3779B9u; // golden ratio
        key[1] += 0xBB67AE85u; // sqrt(3) - 1
    }
    return c;
}

} // namespace trainyard
