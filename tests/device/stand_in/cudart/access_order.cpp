#include "tests/device/stand_in/cudart/access_order.h"

#include <algorithm>

#include "tests/device/stand_in/cudart/findings.h"

namespace trainyard::stand_in {

namespace {

using Clock = AccessOrder::Clock;

/// What the calling host thread has waited for.
Clock& hostClock()
{
    static thread_local Clock clock;
    return clock;
}

void advance(Clock& clock, const Clock& other)
{
    if (clock.size() < other.size())
        clock.resize(other.size());
    for (std::size_t i = 0; i < other.size(); ++i)
        clock[i] = std::max(clock[i], other[i]);
}

} // namespace

Clock& AccessOrder::known(StreamNumber stream)
{
    if (m_streams.size() <= stream)
        m_streams.resize(stream + 1);
    advance(m_streams[stream], hostClock());
    return m_streams[stream];
}

void AccessOrder::add(StreamNumber stream, const std::string& operation, std::span<const Access> accesses)
{
    const std::lock_guard lock(m_mutex);
    Clock& clock = known(stream);
    clock.resize(std::max(clock.size(), stream + 1));
    const Use use{stream, ++clock[stream], std::make_shared<const std::string>(operation)};
    for (const Access& access : accesses)
        touch(access, clock, use);
}

Clock AccessOrder::record(StreamNumber stream)
{
    const std::lock_guard lock(m_mutex);
    return known(stream);
}

void AccessOrder::wait(StreamNumber stream, const Clock& event)
{
    const std::lock_guard lock(m_mutex);
    advance(known(stream), event);
}

void AccessOrder::hostWaited(const Clock& event)
{
    advance(hostClock(), event);
}

Clock AccessOrder::of(StreamNumber stream)
{
    const std::lock_guard lock(m_mutex);
    return stream < m_streams.size() ? m_streams[stream] : Clock();
}

Clock AccessOrder::ofAll()
{
    const std::lock_guard lock(m_mutex);
    Clock all;
    for (const Clock& clock : m_streams)
        advance(all, clock);
    return all;
}

void AccessOrder::forget(const void* start, std::size_t bytes)
{
    const std::lock_guard lock(m_mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    cut(address);
    cut(address + bytes);
    m_marks.erase(m_marks.lower_bound(address), m_marks.lower_bound(address + bytes));
}

void AccessOrder::cut(std::uintptr_t address)
{
    auto mark = m_marks.lower_bound(address);
    if (mark == m_marks.begin() || address >= (--mark)->second.end)
        return;
    Mark behind = mark->second;
    mark->second.end = address;
    m_marks.emplace(address, std::move(behind));
}

void AccessOrder::touch(const Access& access, const Clock& before, const Use& use)
{
    auto at = reinterpret_cast<std::uintptr_t>(access.start);
    const std::uintptr_t end = at + access.bytes;
    cut(at);
    cut(end);
    while (at < end) {
        auto mark = m_marks.lower_bound(at);
        if (mark == m_marks.end() || mark->first > at) {
            const std::uintptr_t gap = mark == m_marks.end() ? end : std::min(end, mark->first);
            mark = m_marks.emplace(at, Mark{gap, {}, {}}).first;
        }
        check(mark->second, access.writes, before, use);
        std::vector<Use>& read = mark->second.read;
        if (access.writes) {
            mark->second.written = use;
            read.clear();
        } else {
            std::erase_if(read, [&](const Use& other) { return other.stream == use.stream; });
            read.push_back(use);
        }
        at = mark->second.end;
    }
}

void AccessOrder::check(const Mark& mark, bool writes, const Clock& before, const Use& use)
{
    const auto require = [&](const Use& other, const char* did) {
        if (other.count == 0 || (other.stream < before.size() && before[other.stream] >= other.count))
            return;
        reportFinding(*use.operation + (writes ? " writes" : " reads") + " memory that " + *other.operation +
                      " " + did + " on another stream, and nothing orders the two");
    };
    require(mark.written, "writes");
    if (!writes)
        return;
    for (const Use& other : mark.read)
        require(other, "reads");
}

} // namespace trainyard::stand_in
