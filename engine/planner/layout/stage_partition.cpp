#include "engine/planner/layout/stage_partition.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

/// All partitions of the layers from some stage on, of which the best are found from the last stage
/// backwards.
class Partitioner {
public:
    Partitioner(const PartCosts& costs, int stages, const StageDevices& devices)
        : m_costs(costs)
        , m_devices(devices)
        , m_stages(stages)
        , m_layers(static_cast<int>(costs.layers.size()))
        , m_sums(1, 0.0)
    {
        for (const double cost : costs.layers)
            m_sums.push_back(m_sums.back() + cost);
    }

    double load(int stage, int firstLayer, int endLayer) const
    {
        const double embeddings = stage == 0 ? m_costs.embeddings : 0;
        const double head = stage == m_stages - 1 ? m_costs.head : 0;
        const double slowness = m_devices.slowness.empty() ? 1 : m_devices.slowness[index(stage)];
        return slowness * (m_sums[index(endLayer)] - m_sums[index(firstLayer)] + embeddings + head);
    }

    /// The smallest load that the heaviest stage can have; kImpossible when the layers have no room.
    double lightestHeaviest() const
    {
        const Table table = solve([](double own, double rest) { return std::max(own, rest); });
        return table.front().front().value;
    }

    /// Of the partitions whose stages stay within `limit`, the one with the smallest sum of squared loads.
    std::vector<int> mostEven(double limit) const
    {
        const Table table =
            solve([limit](double own, double rest) { return own > limit ? kImpossible : own * own + rest; });
        std::vector<int> counts;
        for (int stage = 0, first = 0; stage < m_stages; ++stage) {
            counts.push_back(table[index(stage)][index(first)].layers);
            first += counts.back();
        }
        return counts;
    }

private:
    /// The best way to go on from a stage that starts at a layer: how many layers it takes, and what that
    /// comes to.
    struct Choice {
        double value = kImpossible;
        int layers = 0;
    };
    using Table = std::vector<std::vector<Choice>>; ///< [stage][first layer]

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    template <typename Combine>
    Table solve(Combine combine) const
    {
        Table table(index(m_stages) + 1, std::vector<Choice>(index(m_layers) + 1));
        table[index(m_stages)][index(m_layers)].value = 0;
        for (int stage = m_stages - 1; stage >= 0; --stage) {
            for (int first = 0; first < m_layers; ++first)
                table[index(stage)][index(first)] = best(stage, first, table[index(stage) + 1], combine);
        }
        return table;
    }

    template <typename Combine>
    Choice best(int stage, int first, const std::vector<Choice>& next, Combine combine) const
    {
        Choice best;
        const int room = m_devices.most.empty() ? m_layers : m_devices.most[index(stage)];
        for (int end = first + 1; end <= std::min(m_layers, first + room); ++end) {
            const double value = combine(load(stage, first, end), next[index(end)].value);
            if (value < best.value)
                best = {value, end - first};
        }
        return best;
    }

    const PartCosts& m_costs;
    const StageDevices& m_devices;
    const int m_stages;
    const int m_layers;
    std::vector<double> m_sums; ///< m_sums[i] = cost of the layers before i
};

Error noRoom(int layers, const std::vector<int>& most)
{
    return refused(
        fmt::format("{} layers do not fit: the stages can hold {}", layers, fmt::join(most, " + ")),
        "use more stages, or devices with more memory");
}

} // namespace

Result<std::vector<int>> partitionLayers(const PartCosts& costs, int stages, const StageDevices& devices)
{
    const int layers = static_cast<int>(costs.layers.size());
    if (layers < stages)
        return refused(fmt::format("{} layers cannot fill {} stages", layers, stages),
                       fmt::format("use at most {} stages", layers));
    const Partitioner partitioner(costs, stages, devices);
    const double lightest = partitioner.lightestHeaviest();
    if (lightest == kImpossible)
        return noRoom(layers, devices.most);
    return partitioner.mostEven(lightest);
}

std::vector<double> stageLoads(const PartCosts& costs, const std::vector<int>& layerCounts,
                               const StageDevices& devices)
{
    const int layers = std::accumulate(layerCounts.begin(), layerCounts.end(), 0);
    TRAINYARD_CHECK(layers == static_cast<int>(costs.layers.size()));
    const Partitioner partitioner(costs, static_cast<int>(layerCounts.size()), devices);
    std::vector<double> loads;
    int first = 0;
    for (const int count : layerCounts) {
        loads.push_back(partitioner.load(static_cast<int>(loads.size()), first, first + count));
        first += count;
    }
    return loads;
}

} // namespace trainyard
