#include "engine/records/flight_verdict.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/units.h"

namespace trainyard {

namespace {

using Rings = std::map<int, const FlightSnapshot*>;

/// The rings of a run, looked through once: a run has thousands of ranks, and each ring hundreds of entries.
class RingIndex {
public:
    RingIndex(const Rings& rings, int worldSize)
        : m_rings(rings), m_everybody(static_cast<std::size_t>(worldSize))
    {
        std::iota(m_everybody.begin(), m_everybody.end(), 0);
        for (const auto& [rank, ring] : m_rings)
            add(rank, *ring);
    }

    bool isSeen(int rank) const { return m_rings.contains(rank); }
    /// Global ranks of a group, as the first of its members has noted them; all ranks where nobody has.
    const std::vector<int>& membersOf(std::uint32_t group) const
    {
        const auto noted = m_members.find(group);
        return noted == m_members.end() ? m_everybody : *noted->second;
    }
    bool hasEntered(int rank, const FlightEntry& at) const
    {
        const auto newest = m_newest.find(keyOf(rank, at.group));
        return newest != m_newest.end() && newest->second >= at.sequence;
    }
    /// The rank is in a collective.
    bool waits(int rank) const { return m_waiting.contains(rank); }

private:
    static std::uint64_t keyOf(int rank, std::uint32_t group)
    {
        return std::uint64_t{static_cast<std::uint32_t>(rank)} << 32 | group;
    }
    void add(int rank, const FlightSnapshot& ring)
    {
        for (const auto& [group, members] : ring.groups)
            m_members.emplace(group, &members);
        for (const FlightEntry& entry : ring.entries) {
            std::uint64_t& newest = m_newest[keyOf(rank, entry.group)];
            newest = std::max(newest, entry.sequence);
            if (entry.leftNs == 0)
                m_waiting.insert(rank);
        }
    }

    const Rings& m_rings;
    std::vector<int> m_everybody;
    std::unordered_map<std::uint32_t, const std::vector<int>*> m_members;
    std::unordered_map<std::uint64_t, std::uint64_t> m_newest; ///< sequence, by rank and group
    std::unordered_set<int> m_waiting;
};

/// How likely the ranks that are missing at an entry are the cause of all waiting.
enum class Guilt {
    None,    ///< nobody is missing
    Waiting, ///< they all wait in other groups
    Unseen,  ///< of one there is no ring
    Shown    ///< one waits for nobody
};

Guilt guiltOf(int rank, const RingIndex& index)
{
    if (!index.isSeen(rank))
        return Guilt::Unseen;
    return index.waits(rank) ? Guilt::Waiting : Guilt::Shown;
}

Guilt guiltAt(const FlightEntry& at, const RingIndex& index)
{
    Guilt most = Guilt::None;
    for (const int rank : index.membersOf(at.group)) {
        if (!index.hasEntered(rank, at))
            most = std::max(most, guiltOf(rank, index));
    }
    return most;
}

/// A collective that was entered, not left, and not entered by all of its group. Where ranks wait for ranks
/// that wait in other groups, the cause is the one whose missing rank waits for nobody; of several, the
/// oldest.
const FlightEntry* awaitedCause(const Rings& rings, const RingIndex& index)
{
    const FlightEntry* cause = nullptr;
    Guilt ofCause = Guilt::None;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Guilt> judged; // all that wait in it wait for the same
    for (const auto& [rank, ring] : rings) {
        for (const FlightEntry& entry : ring->entries) {
            if (entry.leftNs != 0)
                continue;
            const auto [place, isNew] = judged.try_emplace({entry.group, entry.sequence}, Guilt::None);
            if (isNew)
                place->second = guiltAt(entry, index);
            const Guilt guilt = place->second;
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
    const RingIndex index(byRank, worldSize);
    const FlightEntry* at = awaitedCause(byRank, index);
    if (!at)
        return std::nullopt;
    FlightVerdict verdict{*at, {}, {}, {}, {}};
    for (const int rank : index.membersOf(at->group)) {
        const bool waits = index.hasEntered(rank, *at);
        (waits ? verdict.waiting : index.isSeen(rank) ? verdict.missing : verdict.unseen).push_back(rank);
    }
    for (auto* ranks : {&verdict.waiting, &verdict.missing, &verdict.unseen})
        std::ranges::sort(*ranks);
    verdict.text = describe(verdict, byRank);
    return verdict;
}

} // namespace trainyard
