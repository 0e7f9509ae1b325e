#include "engine/training/data/permutation.h"

#include <bit>

#include "engine/base/check.h"

namespace trainyard {

namespace {

/// Finaliser of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

} // namespace

std::uint64_t mixKey(std::uint64_t first, std::uint64_t second)
{
    return mix(mix(first) ^ second);
}

Permutation::Permutation(std::uint64_t size, std::uint64_t key) : m_size(size), m_key(key)
{
    TRAINYARD_CHECK(size > 0);
    const int bits = std::bit_width(size - 1);
    m_halfBits = (bits + 1) / 2;
    m_halfMask = (std::uint64_t{1} << m_halfBits) - 1;
}

std::uint64_t Permutation::roundKey(int round, std::uint64_t half) const
{
    return mixKey(m_key + static_cast<std::uint64_t>(round), half) & m_halfMask;
}

std::uint64_t Permutation::encrypt(std::uint64_t value) const
{
    std::uint64_t left = value >> m_halfBits;
    std::uint64_t right = value & m_halfMask;
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t next = left ^ roundKey(round, right);
        left = right;
        right = next;
    }
    return left << m_halfBits | right;
}

std::uint64_t Permutation::decrypt(std::uint64_t value) const
{
    std::uint64_t left = value >> m_halfBits;
    std::uint64_t right = value & m_halfMask;
    for (int round = kRounds - 1; round >= 0; --round) {
        const std::uint64_t previous = right ^ roundKey(round, left);
        right = left;
        left = previous;
    }
    return left << m_halfBits | right;
}

std::uint64_t Permutation::at(std::uint64_t index) const
{
    TRAINYARD_CHECK(index < m_size);
    do {
        index = encrypt(index);
    } while (index >= m_size);
    return index;
}

std::uint64_t Permutation::inverse(std::uint64_t value) const
{
    TRAINYARD_CHECK(value < m_size);
    do {
        value = decrypt(value);
    } while (value >= m_size);
    return value;
}

} // namespace trainyard
