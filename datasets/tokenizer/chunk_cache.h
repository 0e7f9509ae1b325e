#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace trainyard {

/// A chunk of text (the bytes between two blanks) of 1 to 15 bytes, comparable in two words: the bytes,
/// zeros, and the length in the lower half of the last byte, so two keys are equal exactly when the chunks
/// are.
struct ChunkKey {
    static constexpr std::size_t kMaxLength = 15;
    static constexpr std::size_t kWindow = 16;

    /// Reads kWindow bytes from `text`. Requires 1 <= length <= kMaxLength.
    static ChunkKey of(const char* text, std::size_t length);
    /// The same key, slower, of a chunk with nothing readable around it.
    static ChunkKey ofAlone(std::string_view chunk);
    /// Equals the key of no chunk.
    static constexpr ChunkKey ofNone() { return {0, 1}; }
    /// The bytes of the chunk, which are the first ones of the key, are so many.
    std::size_t length() const { return high >> 56; }
    /// Folded 128-bit product, as in wyhash; its lower bits spread well.
    std::uint64_t hash() const;

    std::uint64_t low;
    std::uint64_t high;
};

/// Caches the ids of chunks: text repeats its words (Zipf), so most chunks are found and cost one cache line.
/// Two-way set associative, with a fixed size of kBytes. Evictions cost time and never change a result. For
/// one thread.
class ChunkCache {
public:
    static constexpr std::size_t kMaxIds = 4;
    class Entry {
    public:
        Entry() = default; ///< holds no chunk
        /// Requires at most kMaxIds ids.
        Entry(const ChunkKey& key, std::span<const std::int32_t> ids);
        bool holds(const ChunkKey& key) const
        {
            return ((m_low ^ key.low) | (m_highAndCount ^ key.high) << kCountBits) == 0;
        }
        std::size_t count() const { return m_highAndCount >> (64 - kCountBits); }
        /// The first count() are valid.
        const std::array<std::int32_t, kMaxIds>& ids() const { return m_ids; }

    private:
        static constexpr int kCountBits = 4; ///< at the top, where every key has zeros
        std::uint64_t m_low = 0;
        std::uint64_t m_highAndCount = 0;
        std::array<std::int32_t, kMaxIds> m_ids{};
    };
    /// The possible places of a chunk, in one cache line. The older entry is evicted.
    struct alignas(64) Set {
        std::array<Entry, 2> ways;

        /// Returns nullptr if the chunk is not cached; else valid until the next insert().
        const Entry* find(const ChunkKey& key) const
        {
            const unsigned hits = unsigned(ways[0].holds(key)) + 2 * unsigned(ways[1].holds(key));
            return hits == 0 ? nullptr : &ways[hits >> 1]; // no branch on which: nothing predicts it
        }
        void insert(const Entry& entry);
    };
    static constexpr std::size_t kSets = std::size_t(1) << 16;
    static constexpr std::size_t kBytes = kSets * sizeof(Set); // 4 MiB

    ChunkCache() : m_sets(std::make_unique<Set[]>(kSets)) {}

    /// Starts to load the set, which takes longer than finding the next chunks.
    Set& prefetch(const ChunkKey& key)
    {
        Set& set = m_sets[key.hash() % kSets];
        __builtin_prefetch(&set);
        return set;
    }

private:
    std::unique_ptr<Set[]> m_sets;
};

inline ChunkKey ChunkKey::of(const char* text, std::size_t length)
{
    static_assert(std::endian::native == std::endian::little);
    static constexpr auto kMasks = [] {
        std::array<ChunkKey, kWindow> masks{};
        for (std::size_t n = 1; n < kWindow; ++n)
            masks[n] = {n < 8 ? (std::uint64_t(1) << 8 * n) - 1 : ~std::uint64_t(0),
                        n <= 8 ? 0 : (std::uint64_t(1) << 8 * (n - 8)) - 1};
        return masks;
    }();
    ChunkKey key;
    std::memcpy(&key.low, text, 8);
    std::memcpy(&key.high, text + 8, 8);
    return {key.low & kMasks[length].low, (key.high & kMasks[length].high) | std::uint64_t(length) << 56};
}

inline ChunkKey ChunkKey::ofAlone(std::string_view chunk)
{
    const std::size_t n = chunk.size();
    const auto load = [&]<typename Word>(std::size_t at, Word word) {
        std::memcpy(&word, chunk.data() + at, sizeof word);
        return std::uint64_t(word);
    };
    const auto byte = [&](std::size_t at) {
        return std::uint64_t(static_cast<unsigned char>(chunk[at])) << 8 * at;
    };
    ChunkKey key{0, std::uint64_t(n) << 56};
    if (n > 8) {
        key.low = load(0, std::uint64_t());
        key.high |= load(n - 8, std::uint64_t()) >> 8 * (16 - n);
    } else if (n == 8) {
        key.low = load(0, std::uint64_t());
    } else if (n >= 4) {
        key.low = load(0, std::uint32_t()) | load(n - 4, std::uint32_t()) << 8 * (n - 4);
    } else {
        key.low = byte(0) | byte(n / 2) | byte(n - 1);
    }
    return key;
}

inline std::uint64_t ChunkKey::hash() const
{
    constexpr std::uint64_t kLow = 0xA0761D6478BD642F, kHigh = 0xE7037ED1A0B428DB; // of wyhash
    const auto product = static_cast<unsigned __int128>(low ^ kLow) * (high ^ kHigh);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

} // namespace trainyard
