#include "datasets/tokenizer_json/merge_table.h"

#include <bit>

namespace trainyard {

MergeTable::MergeTable(std::size_t merges) : m_mask(std::bit_ceil(2 * merges + 2) - 1), m_slots(m_mask + 1) {}

void MergeTable::add(std::int32_t left, std::int32_t right, Merge merge)
{
    const std::uint64_t key = keyOf(left, right);
    std::size_t at = placeOf(key);
    while (m_slots[at].key != key && m_slots[at].key != kEmpty)
        at = (at + 1) & m_mask;
    m_slots[at] = {key, merge};
}

} // namespace trainyard
