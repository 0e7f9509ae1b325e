#include "tests/device/stand_in/nccl/wait_cycle.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace trainyard::stand_in {

namespace {

/// Whom a rank waits for; nothing while it changes that, or can go on.
std::optional<std::vector<int>> awaited(const Neighbourhood& all, int rank)
{
    const RankPart& part = all.of(rank);
    const std::uint64_t turn = part.turn;
    const std::size_t count = std::min<std::size_t>(part.conditionCount, kMaxConditions);
    const std::vector<Condition> conditions(part.conditions, part.conditions + count);
    if (turn % 2 == 1 || part.turn != turn)
        return std::nullopt;
    std::vector<int> peers;
    std::set<int> transfers, waiting;
    for (const Condition& condition : conditions) {
        transfers.insert(condition.transfer);
        if (all.holds(condition))
            continue;
        waiting.insert(condition.transfer);
        peers.push_back(condition.peer);
    }
    return transfers == waiting ? std::optional(peers) : std::nullopt;
}

/// Extends `path`, whose first rank is this one, until it comes back there.
bool closes(const Neighbourhood& all, std::vector<int>& path)
{
    const auto next = awaited(all, path.back());
    if (!next)
        return false;
    for (const int peer : *next) {
        if (peer == path.front())
            return true;
        if (std::ranges::find(path, peer) != path.end())
            continue;
        path.push_back(peer);
        if (closes(all, path))
            return true;
        path.pop_back();
    }
    return false;
}

} // namespace

std::string waitCycle(const Neighbourhood& all)
{
    std::vector<int> path{all.rank};
    if (!closes(all, path))
        return {};
    std::string text;
    for (const int rank : path)
        text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank) + " is in " + all.of(rank).doing;
    return text;
}

} // namespace trainyard::stand_in
