#include "engine/planner/partition/arrangement.h"

#include <algorithm>
#include <numeric>

#include "engine/planner/partition/distinct_placements.h"

namespace trainyard {

namespace {

constexpr int kMaxOrders = 24; ///< all of four kinds of nodes

using NodeOrder = std::vector<std::size_t>;

/// The first node of each one's kind: equal hardware with equally many slots.
std::vector<std::size_t> kindsOf(const RunSpec& spec, const std::vector<NodeModel>& nodes)
{
    std::vector<std::size_t> kinds;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::size_t same = 0;
        while (spec.cluster.nodes[same].slotCount != spec.cluster.nodes[i].slotCount ||
               nodes[same] != nodes[i])
            ++same;
        kinds.push_back(same);
    }
    return kinds;
}

/// Nodes of a kind stay together and in their order.
std::vector<NodeOrder> ordersOf(const std::vector<std::size_t>& kinds)
{
    std::vector<std::size_t> distinct = kinds;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    NodeOrder asGiven(kinds.size());
    std::iota(asGiven.begin(), asGiven.end(), std::size_t{0});
    std::vector<NodeOrder> orders{asGiven};
    if (distinct.size() == 1)
        return orders;
    do {
        NodeOrder order = asGiven;
        const auto place = [&](std::size_t node) { return std::ranges::find(distinct, kinds[node]); };
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
        if (std::ranges::find(orders, order) == orders.end())
            orders.push_back(std::move(order));
    } while (static_cast<int>(orders.size()) < kMaxOrders &&
             std::next_permutation(distinct.begin(), distinct.end()));
    return orders;
}

template <typename Node>
std::vector<Node> inOrder(const std::vector<Node>& nodes, const NodeOrder& order)
{
    std::vector<Node> ordered;
    for (const std::size_t node : order)
        ordered.push_back(nodes[node]);
    return ordered;
}

Result<Arrangement> arranged(const RunSpec& spec, const SequenceShape& shape,
                             const std::vector<NodeModel>& nodes, const std::optional<PartCosts>& measured)
{
    TRAINYARD_TRY(const std::vector<PipelineNode> ranks, pipelineNodes(spec, nodes));
    TRAINYARD_TRY(const std::vector<StageDivision> divisions, divideStages(spec, shape, ranks, measured));
    const StageDivision& best = divisions.front();
    return Arrangement{withLayers(spec, shape, best.layerCounts), best.layerCounts, best.step, best.fits};
}

} // namespace

Result<std::vector<Arrangement>> arrange(const RunSpec& spec, const SequenceShape& shape,
                                         const std::vector<NodeModel>& nodes,
                                         const std::optional<PartCosts>& measured,
                                         const std::function<bool(double share)>& goesOn)
{
    std::vector<Arrangement> found;
    const std::vector<NodeOrder> orders = ordersOf(kindsOf(spec, nodes));
    const std::vector<std::string> placements = distinctPlacements(spec.layout);
    const auto all = static_cast<double>(orders.size() * placements.size());
    for (const NodeOrder& order : orders) {
        RunSpec other = spec;
        other.cluster.nodes = inOrder(spec.cluster.nodes, order);
        for (const std::string& placement : placements) {
            if (goesOn && !goesOn(static_cast<double>(found.size()) / all))
                return cancelled("the arrangement was stopped");
            other.layout.placement = placement;
            TRAINYARD_TRY(Arrangement one, arranged(other, shape, inOrder(nodes, order), measured));
            found.push_back(std::move(one));
        }
    }
    std::ranges::stable_sort(found, [](const Arrangement& a, const Arrangement& b) {
        return std::pair(!a.fits, a.step) < std::pair(!b.fits, b.step);
    });
    return found;
}

} // namespace trainyard
