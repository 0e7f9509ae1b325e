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

/// How likely the ranks that are missing at an entry are the cause of all waiting.
enum class Guilt {
    None,    ///< nobody is missing
    Waiting, ///< they all wait in other groups
    Unseen,  ///< of one there is no ring
    Shown    ///< one waits for nobody
};

Guilt guiltOf(int rank, const Rings& rings)
{
    const auto ring = rings.find(rank);
    if (ring == rings.end())
        return Guilt::Unseen;
    const bool waits = std::ranges::any_of(ring->second->entries,
                                           [](const FlightEntry& entry) { return entry.leftNs == 0; });
    return waits ? Guilt::Waiting : Guilt::Shown;
}

Guilt guiltAt(const FlightEntry& at, const Rings& rings, int worldSize)
{
    Guilt most = Guilt::None;
    for (const int rank : missingAt(at, rings, worldSize))
        most = std::max(most, guiltOf(rank, rings));
    return most;
}

/// A collective that was entered, not left, and not entered by all of its group. Where ranks wait for ranks
/// that wait in other groups, the cause is the one whose missing rank waits for nobody; of several, the
/// oldest.
const FlightEntry* awaitedCause(const Rings& rings, int worldSize)
{
    const FlightEntry* cause = nullptr;
    Guilt ofCause = Guilt::None;
    for (const auto& [rank, ring] : rings) {
        for (const FlightEntry& entry : ring->entries) {
            const Guilt guilt = entry.leftNs == 0 ? guiltAt(entry, rings, worldSize) : Guilt::None;
            if (guilt > ofCause || (cause && guilt == ofCause && entry.sequence < cause->sequence)) {
                cause = &entry;
                ofCause = guilt;
            }
        }
    }
    return cause;
}

/// "rank 3", "ranks 0, 4-7"; of ascending ranks.
std::string ranksText(const std::vector<int>& ranks)
{
    std::vector<std::string> spans;
    for (std::size_t first = 0, next = 1; first < ranks.size(); first = next++) {
        while (next < ranks.size() && ranks[next] == ranks[next - 1] + 1)
            ++next;
        spans.push_back(next - first > 1 ? fmt::format("{}-{}", ranks[first], ranks[next - 1])
                                         : std::to_string(ranks[first]));
    }
    return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(spans, ", "));
}

std::string describe(const FlightVerdict& verdict, const Rings& rings)
{
    const FlightEntry& at = verdict.collective;
    const std::string collective =
        fmt::format("{} {} ({}) of step {}", nameOf(at.kind), at.sequence, formatBytes(at.bytes), at.step);
    const std::string unseen =
        verdict.unseen.empty() ? "" : "; " + ranksText(verdict.unseen) + ": not visible from here";
    if (verdict.missing.empty())
        return fmt::format("{} {} in {}{}", ranksText(verdict.waiting),
                           verdict.waiting.size() == 1 ? "waits" : "wait", collective, unseen);
    const FlightSnapshot& first = *rings.at(verdict.missing.front());
    return fmt::format("{} did not enter {}: last seen in {} of step {}{}", ranksText(verdict.missing),
                       collective, nameOf(first.activity), first.step, unseen);
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
    FlightVerdict verdict{*at, {}, {}, {}, {}};
    for (const int rank : membersOf(at->group, byRank, worldSize)) {
        const bool isSeen = byRank.contains(rank);
        const bool waits = hasEntered(rank, *at, byRank);
        (waits ? verdict.waiting : isSeen ? verdict.missing : verdict.unseen).push_back(rank);
    }
    for (auto* ranks : {&verdict.waiting, &verdict.missing, &verdict.unseen})
        std::ranges::sort(*ranks);
    verdict.text = describe(verdict, byRank);
    return verdict;
}

} // namespace trainyard
