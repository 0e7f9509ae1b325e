#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard {

/// Which pairs of neighbouring tokens become one, and which of them first. Immutable after the last add();
/// any thread may use it.
class MergeTable {
public:
    struct Merge {
        std::uint32_t rank = kNone; ///< lower merges first
        std::int32_t id = 0;        ///< of the token that it makes
    };
    static constexpr std::uint32_t kNone = ~0u;

    explicit MergeTable(std::size_t merges);

    /// The last merge of a pair counts. Requires no more of them than announced, and ids of 0 and above.
    void add(std::int32_t left, std::int32_t right, Merge merge);
    /// The rank is kNone if the pair stays apart.
    Merge find(std::int32_t left, std::int32_t right) const
    {
        const std::uint64_t key = keyOf(left, right), hash = hashOf(key);
        const std::uint64_t bit = hash >> m_filterShift;
        if (!(m_filter[bit / 64] >> bit % 64 & 1))
            return {};
        std::size_t at = hash & m_mask;
        while (m_slots[at].key != key && m_slots[at].key != kEmpty)
            at = (at + 1) & m_mask;
        return m_slots[at].merge;
    }

private:
    struct Slot {
        std::uint64_t key = kEmpty;
        Merge merge;
    };
    static constexpr std::uint64_t kEmpty = ~std::uint64_t(0);

    static std::uint64_t keyOf(std::int32_t left, std::int32_t right)
    {
        return std::uint64_t(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
    }
    static std::uint64_t hashOf(std::uint64_t key)
    {
        const std::uint64_t mixed = key * 0x9E3779B97F4A7C15u;
        return mixed ^ mixed >> 32;
    }

    std::size_t m_mask;
    std::vector<Slot> m_slots; ///< open addressing, at most half full
    /// A bit for the upper bits of the hash of every pair, at most an eighth of them set: most pairs are in
    /// no table, and this part of it stays near the core.
    std::vector<std::uint64_t> m_filter;
    int m_filterShift;
};

} // namespace trainyard
