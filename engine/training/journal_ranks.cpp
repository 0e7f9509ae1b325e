#include "engine/training/journal_ranks.h"

#include <algorithm>
#include <numeric>

#include "engine/planner/time/common_causes.h"

namespace trainyard {

namespace {

constexpr std::size_t kAlwaysTogether = 64;
constexpr std::size_t kAverageRanks = 8; ///< of a step, 1.4 KB
constexpr std::size_t kMaxSlow = 4;
constexpr double kSlow = 1.25; ///< times the median

double computeSeconds(const RankStats& rank)
{
    return byCommonCause(rank.seconds)[static_cast<std::size_t>(CommonCause::Compute)];
}

/// The slowest, and further ones that are slow beside the median.
std::vector<std::size_t> slowestRanks(const std::vector<RankStats>& ranks)
{
    std::vector<double> seconds;
    for (const RankStats& rank : ranks)
        seconds.push_back(computeSeconds(rank));
    std::vector<std::size_t> slowest(ranks.size());
    std::iota(slowest.begin(), slowest.end(), std::size_t{0});
    const auto end = slowest.begin() + kMaxSlow;
    std::ranges::partial_sort(slowest, end, std::ranges::greater(),
                              [&](std::size_t rank) { return seconds[rank]; });
    slowest.erase(end, slowest.end());
    std::vector<double> ordered = seconds;
    const auto middle = ordered.begin() + static_cast<std::ptrdiff_t>(ordered.size() / 2);
    std::ranges::nth_element(ordered, middle);
    const auto isSlow = [&](std::size_t rank) { return seconds[rank] > kSlow * *middle; };
    slowest.erase(std::find_if_not(slowest.begin() + 1, slowest.end(), isSlow), slowest.end());
    return slowest;
}

} // namespace

std::int64_t stepsBetweenTables(std::size_t ranks)
{
    return ranks <= kAlwaysTogether ? 1
                                    : static_cast<std::int64_t>((ranks + kAverageRanks - 1) / kAverageRanks);
}

std::vector<RankStats> ranksForJournal(std::vector<RankStats> ranks, Step step, bool isFirst)
{
    if (isFirst || step.value % stepsBetweenTables(ranks.size()) == 0)
        return ranks;
    std::vector<std::size_t> told = slowestRanks(ranks);
    const auto fullest = std::ranges::max_element(ranks, {}, &RankStats::peakTotal);
    told.push_back(static_cast<std::size_t>(fullest - ranks.begin()));
    std::vector<RankStats> some(ranks.size());
    for (const std::size_t rank : told)
        some[rank] = ranks[rank];
    return some;
}

} // namespace trainyard
