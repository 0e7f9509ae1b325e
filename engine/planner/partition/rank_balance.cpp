#include "engine/planner/partition/rank_balance.h"

#include <algorithm>
#include <compare>

namespace trainyard {

namespace {

/// How unequal the ranks are; the smaller, the better.
struct Imbalance {
    double heaviest = 0;
    double squares = 0; ///< sum of them over the ranks

    auto operator<=>(const Imbalance&) const = default;
};

class Balance {
public:
    Balance(int ranks, const PartCosts& costs, const StageDevices& devices)
        : m_ranks(static_cast<std::size_t>(ranks)), m_costs(costs), m_devices(devices)
    {
    }

    std::vector<double> rankLoads(const std::vector<int>& layerCounts) const
    {
        std::vector<double> ranks(m_ranks, 0.0);
        const std::vector<double> stages = stageLoads(m_costs, layerCounts, m_devices);
        for (std::size_t stage = 0; stage < stages.size(); ++stage)
            ranks[stage % m_ranks] += stages[stage];
        return ranks;
    }

    Imbalance of(const std::vector<int>& layerCounts) const
    {
        Imbalance imbalance;
        for (const double load : rankLoads(layerCounts)) {
            imbalance.heaviest = std::max(imbalance.heaviest, load);
            imbalance.squares += load * load;
        }
        return imbalance;
    }

    /// The best of all moves of one layer away from the heaviest rank; the same where none is better.
    std::vector<int> afterBestMove(const std::vector<int>& layerCounts) const
    {
        const std::vector<double> loads = rankLoads(layerCounts);
        const auto heaviest =
            static_cast<std::size_t>(std::max_element(loads.begin(), loads.end()) - loads.begin());
        std::vector<int> best = layerCounts;
        for (std::size_t from = heaviest; from < layerCounts.size(); from += m_ranks) {
            for (std::size_t to = 0; to < layerCounts.size(); ++to)
                tryMove(layerCounts, from, to, best);
        }
        return best;
    }

private:
    void tryMove(std::vector<int> layerCounts, std::size_t from, std::size_t to, std::vector<int>& best) const
    {
        const bool room = m_devices.most.empty() || layerCounts[to] < m_devices.most[to];
        if (layerCounts[from] == 1 || !room || from % m_ranks == to % m_ranks)
            return;
        --layerCounts[from];
        ++layerCounts[to];
        if (of(layerCounts) < of(best))
            best = std::move(layerCounts);
    }

    const std::size_t m_ranks;
    const PartCosts& m_costs;
    const StageDevices& m_devices;
};

} // namespace

std::vector<int> balancedRanks(std::vector<int> layerCounts, int ranks, const PartCosts& costs,
                               const StageDevices& devices)
{
    const Balance balance(ranks, costs, devices);
    for (;;) {
        std::vector<int> better = balance.afterBestMove(layerCounts);
        if (better == layerCounts)
            return layerCounts;
        layerCounts = std::move(better);
    }
}

} // namespace trainyard
