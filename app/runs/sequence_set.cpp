#include "app/runs/sequence_set.h"

#include <iterator>

namespace trainyard {

SequenceSet SequenceSet::upTo(std::uint64_t last)
{
    SequenceSet set;
    if (last > 0)
        set.m_intervals[1] = last;
    set.m_size = last;
    return set;
}

bool SequenceSet::insert(std::uint64_t sequence)
{
    auto next = m_intervals.upper_bound(sequence);
    auto previous = next == m_intervals.begin() ? m_intervals.end() : std::prev(next);
    if (previous != m_intervals.end() && sequence <= previous->second)
        return false;

    const bool joinsPrevious = previous != m_intervals.end() && previous->second + 1 == sequence;
    const bool joinsNext = next != m_intervals.end() && sequence + 1 == next->first;
    const std::uint64_t last = joinsNext ? next->second : sequence;
    if (joinsNext)
        m_intervals.erase(next);
    if (joinsPrevious)
        previous->second = last;
    else
        m_intervals.emplace(sequence, last);
    ++m_size;
    return true;
}

} // namespace trainyard
