#include "engine/records/flight_verdict.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/units.h"

namespace trainyard {

namespace {

using Rings = std::map<int, const FlightSnapshot*>;

/// Collectives of a group that the rank has entered: the newest sequence number in its ring.
std::uint64_t enteredOf(const FlightSnapshot& ring, std::uint32_t group)
{
    std::uint64_t newest = 0;
    for (const FlightEntry& entry : ring.entries) {
        if (entry.group == group)
            newest = std::max(newest, entry.sequence);
    }
    return newest;
}

/// The oldest collective that a living wait is about: entered by its rank, not left, not entered by another.
const FlightEntry* oldestAwaited(const Rings& rings, int worldSize)
{
    const FlightEntry* oldest = nullptr;
    for (const auto& [rank, ring] : rings) {
        for (const FlightEntry& entry : ring->entries) {
            if (entry.leftNs != 0)
                continue;
            const bool reachedByAll = static_cast<int>(rings.size()) == worldSize &&
                                      std::all_of(rings.begin(), rings.end(), [&](const auto& other) {
                                          return enteredOf(*other.second, entry.group) >= entry.sequence;
                                      });
            if (!reachedByAll && (!oldest || entry.sequence < oldest->sequence))
                oldest = &entry;
        }
    }
    return oldest;
}

std::string describe(const FlightVerdict& verdict, const Rings& rings)
{
    const FlightEntry& at = verdict.collective;
    std::string text = fmt::format(
        "{} {} did not enter {} {} ({}) of step {}", verdict.missing.size() == 1 ? "rank" : "ranks",
        fmt::join(verdict.missing, ", "), nameOf(at.kind), at.sequence, formatBytes(at.bytes), at.step);
    const auto first = rings.find(verdict.missing.front());
    if (first == rings.end())
        return text + ": no ring of it was found";
    return text +
           fmt::format(": last seen in {} of step {}", nameOf(first->second->activity), first->second->step);
}

} // namespace

std::optional<FlightVerdict> judgeFlight(const std::vector<FlightSnapshot>& rings)
{
    Rings byRank;
    int worldSize = 0;
    for (const FlightSnapshot& ring : rings) {
        byRank[ring.rank] = &ring;
        worldSize = std::max(worldSize, ring.worldSize);
    }
    const FlightEntry* at = oldestAwaited(byRank, worldSize);
    if (!at)
        return std::nullopt;
    FlightVerdict verdict{*at, {}, {}, {}};
    for (int rank = 0; rank < worldSize; ++rank) {
        const auto ring = byRank.find(rank);
        const bool entered = ring != byRank.end() && enteredOf(*ring->second, at->group) >= at->sequence;
        (entered ? verdict.waiting : verdict.missing).push_back(rank);
    }
    verdict.text = describe(verdict, byRank);
    return verdict;
}

} // namespace trainyard
