#include "engine/records/flight_verdict.h"

#include <algorithm>
#include <map>
#include <numeric>

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

/// Global ranks of a group, as any of its members has noted them; all ranks where nobody has.
std::vector<int> membersOf(std::uint32_t group, const Rings& rings, int worldSize)
{
    for (const auto& [rank, ring] : rings) {
        if (const auto found = ring->groups.find(group); found != ring->groups.end())
            return found->second;
    }
    std::vector<int> all(static_cast<std::size_t>(worldSize));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

bool hasEntered(int rank, const FlightEntry& at, const Rings& rings)
{
    const auto ring = rings.find(rank);
    return ring != rings.end() && enteredOf(*ring->second, at.group) >= at.sequence;
}

/// Ranks of the entry's group that are not in that collective yet, in order of the group.
std::vector<int> missingAt(const FlightEntry& at, const Rings& rings, int worldSize)
{
    std::vector<int> missing = membersOf(at.group, rings, worldSize);
    std::erase_if(missing, [&](int rank) { return hasEntered(rank, at, rings); });
    return missing;
}

bool waitsItself(int rank, const Rings& rings)
{
    const auto ring = rings.find(rank);
    return ring != rings.end() && std::ranges::any_of(ring->second->entries, [](const FlightEntry& entry) {
               return entry.leftNs == 0;
           });
}

/// A collective that was entered, not left, and not entered by all of its group. Where ranks wait for ranks
/// that wait in other groups, the cause is the one whose missing rank waits for nobody; of several, the
/// oldest.
const FlightEntry* awaitedCause(const Rings& rings, int worldSize)
{
    const FlightEntry* cause = nullptr;
    bool causeIsRoot = false;
    for (const auto& [rank, ring] : rings) {
        for (const FlightEntry& entry : ring->entries) {
            if (entry.leftNs != 0)
                continue;
            const std::vector<int> missing = missingAt(entry, rings, worldSize);
            const bool isRoot =
                std::ranges::any_of(missing, [&](int rank) { return !waitsItself(rank, rings); });
            const bool better =
                !cause || isRoot > causeIsRoot || (isRoot == causeIsRoot && entry.sequence < cause->sequence);
            if (missing.empty() || !better)
                continue;
            cause = &entry;
            causeIsRoot = isRoot;
        }
    }
    return cause;
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
    const FlightEntry* at = awaitedCause(byRank, worldSize);
    if (!at)
        return std::nullopt;
    FlightVerdict verdict{*at, {}, {}, {}};
    for (const int rank : membersOf(at->group, byRank, worldSize))
        (hasEntered(rank, *at, byRank) ? verdict.waiting : verdict.missing).push_back(rank);
    std::ranges::sort(verdict.waiting);
    std::ranges::sort(verdict.missing);
    verdict.text = describe(verdict, byRank);
    return verdict;
}

} // namespace trainyard
