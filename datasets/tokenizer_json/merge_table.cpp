#include "datasets/tokenizer_json/merge_table.h"

#include <bit>

namespace trainyard {

namespace {

std::size_t filterBits(std::size_t merges)
{
    return std::bit_ceil(8 * merges + 64);
}

} // namespace

MergeTable::MergeTable(std::size_t merges)
    : m_mask(std::bit_ceil(2 * merges + 2) - 1)
    , m_slots(m_mask + 1)
    , m_filter(filterBits(merges) / 64)
    , m_filterShift(64 - std::countr_zero(filterBits(merges)))
{
}

void MergeTable::add(std::int32_t left, std::int32_t right, Merge merge)
{
    const std::uint64_t key = keyOf(left, right), hash = hashOf(key);
    std::size_t at = hash & m_mask;
    while (m_slots[at].key != key && m_slots[at].key != kEmpty)
        at = (at + 1) & m_mask;
    m_slots[at] = {key, merge};
    const std::uint64_t bit = hash >> m_filterShift;
    m_filter[bit / 64] |= std::uint64_t(1) << bit % 64;
}

} // namespace trainyard
