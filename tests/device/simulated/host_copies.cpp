#include "tests/device/simulated/host_copies.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include <c10/util/Exception.h>

namespace trainyard {

namespace {

std::uint64_t hashOf(MemoryRange pinned)
{
    const auto& memory = SimulatedMemory::instance();
    const auto* bytes = static_cast<const char*>(memory.executors(pinned.begin));
    return std::hash<std::string_view>()({bytes, pinned.end - pinned.begin});
}

/// Of the pages that a range covers, where the last one of a block counts as covered.
MemoryRange wholePages(MemoryRange pinned)
{
    const MemoryBlock block = SimulatedMemory::instance().blockAt(pinned.begin);
    const auto blockBegin = reinterpret_cast<std::uintptr_t>(block.begin);
    const bool toTheEnd = pinned.end >= blockBegin + block.bytes;
    return {(pinned.begin + kPageBytes - 1) / kPageBytes * kPageBytes,
            toTheEnd ? blockBegin + block.room : pinned.end / kPageBytes * kPageBytes};
}

void allow(MemoryRange pinned, MappedMemory::HostAccess access)
{
    const MemoryRange pages = wholePages(pinned);
    if (pages.begin < pages.end)
        SimulatedMemory::instance().allow(pages, access);
}

/// What the host may do while the copy is under way.
MappedMemory::HostAccess meanwhile(MemoryAccess access)
{
    return access == MemoryAccess::Read ? MappedMemory::HostAccess::Read : MappedMemory::HostAccess::None;
}

bool overlap(MemoryRange a, MemoryRange b)
{
    return a.begin < b.end && b.begin < a.end;
}

} // namespace

HostCopies& HostCopies::instance()
{
    static auto* const copies = new HostCopies; // tensors may outlive everything else
    return *copies;
}

void HostCopies::begin(std::size_t device, const WorkStamp& work, MemoryRange pinned, MemoryAccess access)
{
    const std::lock_guard lock(m_mutex);
    allow(pinned, meanwhile(access));
    m_copies.push_back({device, work, pinned, access, access == MemoryAccess::Read ? hashOf(pinned) : 0});
}

template <typename Predicate>
std::vector<HostCopies::Copy> HostCopies::takeWhere(Predicate predicate)
{
    const auto taken =
        std::ranges::stable_partition(m_copies, [&](const Copy& copy) { return !predicate(copy); });
    std::vector<Copy> done(taken.begin(), taken.end());
    m_copies.erase(taken.begin(), taken.end());
    for (const Copy& copy : done)
        allow(copy.pinned, MappedMemory::HostAccess::ReadWrite);
    for (const Copy& copy : m_copies)
        allow(copy.pinned, meanwhile(copy.access));
    return done;
}

void HostCopies::finish(std::size_t device, const VectorClock& clock)
{
    const std::lock_guard lock(m_mutex);
    const std::vector<Copy> done =
        takeWhere([&](const Copy& copy) { return copy.device == device && copy.work.isBehind(clock); });
    for (const Copy& copy : done) {
        // What a later copy wrote there is no change by the host.
        const auto writesIt = [&](const Copy& other) {
            return other.access == MemoryAccess::Write && overlap(other.pinned, copy.pinned);
        };
        const bool overwritten =
            std::ranges::any_of(done, writesIt) || std::ranges::any_of(m_copies, writesIt);
        TORCH_CHECK(copy.access == MemoryAccess::Write || overwritten || hashOf(copy.pinned) == copy.hash,
                    "the host changed pinned memory while ", copy.work.name, " on stream ", copy.work.stream,
                    " read it");
    }
}

void HostCopies::forget(MemoryRange pinned)
{
    const std::lock_guard lock(m_mutex);
    takeWhere([&](const Copy& copy) { return overlap(copy.pinned, pinned); });
}

void HostCopies::forgetAll(std::size_t device)
{
    const std::lock_guard lock(m_mutex);
    takeWhere([&](const Copy& copy) { return copy.device == device; });
}

} // namespace trainyard
