#include "tests/device/simulated/order/access_history.h"

#include <algorithm>

namespace trainyard {

void AccessHistory::cutAt(std::uintptr_t address)
{
    auto part = m_parts.upper_bound(address);
    if (part == m_parts.begin())
        return;
    --part;
    if (part->first == address || part->second.end <= address)
        return;
    Part rest = part->second;
    part->second.end = address;
    m_parts.emplace(address, std::move(rest));
}

AccessHistory::Parts::iterator AccessHistory::cutOut(MemoryRange range)
{
    cutAt(range.begin);
    cutAt(range.end);
    return m_parts.lower_bound(range.begin);
}

std::optional<AccessHistory::Conflict> AccessHistory::read(MemoryRange range, const WorkStamp& work,
                                                           const VectorClock& clock)
{
    const auto first = cutOut(range);
    for (auto part = first; part != m_parts.end() && part->first < range.end; ++part) {
        const auto& write = part->second.write;
        if (write && !write->isBehind(clock))
            return Conflict{*write, true};
    }
    std::uintptr_t known = range.begin;
    for (auto part = first; known < range.end;) {
        if (part == m_parts.end() || part->first > known) { // a gap: memory that nobody has written yet
            const std::uintptr_t end = part == m_parts.end() ? range.end : std::min(range.end, part->first);
            part = std::next(m_parts.emplace_hint(part, known, Part{end, {}, {work}}));
            known = end;
            continue;
        }
        auto& reads = part->second.reads;
        const auto before = std::ranges::find(reads, work.stream, &WorkStamp::stream);
        if (before == reads.end())
            reads.push_back(work);
        else
            *before = work;
        known = part->second.end;
        ++part;
    }
    return std::nullopt;
}

std::optional<AccessHistory::Conflict> AccessHistory::write(MemoryRange range, const WorkStamp& work,
                                                            const VectorClock& clock)
{
    const auto first = cutOut(range);
    auto last = first;
    for (; last != m_parts.end() && last->first < range.end; ++last) {
        const Part& part = last->second;
        if (part.write && !part.write->isBehind(clock))
            return Conflict{*part.write, true};
        for (const WorkStamp& read : part.reads) {
            if (!read.isBehind(clock))
                return Conflict{read, false};
        }
    }
    m_parts.erase(first, last);
    if (range.begin < range.end)
        m_parts.emplace(range.begin, Part{range.end, work, {}});
    return std::nullopt;
}

void AccessHistory::forget(MemoryRange range)
{
    const auto first = cutOut(range);
    m_parts.erase(first, m_parts.lower_bound(range.end));
}

} // namespace trainyard
