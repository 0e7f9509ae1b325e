#include "engine/planner/search/placements.h"

#include <algorithm>
#include <array>
#include <set>

#include "engine/planner/time/group_place.h"

namespace trainyard {

namespace {

// Tensor-parallel ranks talk most, so they are neighbours in the first ones.
constexpr std::array kOrders{"PDT", "DPT", "DTP", "PTD", "TPD", "TDP"};

/// The letters whose degrees are more than 1, in their order.
std::string tellingLetters(const std::string& order, const ParallelLayout& layout)
{
    std::string letters;
    for (const char letter : order) {
        const int degree = letter == 'D'   ? layout.data * layout.context
                           : letter == 'P' ? layout.pipeline
                                           : layout.tensor;
        if (degree > 1)
            letters += letter;
    }
    return letters;
}

Result<PlacementCost> costOf(const SearchRequest& request, RunSpec spec, const std::string& placement)
{
    spec.layout.placement = placement;
    TRAINYARD_TRY(const RankGrid grid, RankGrid::create(spec.layout));
    TRAINYARD_TRY(const StepModel model, StepModel::create(spec, request.shape, request.node));
    const auto nodes = [&](const std::vector<Axis>& axes) {
        return placeOf(grid, axes, request.node.devices).nodes;
    };
    return PlacementCost{placement, model.estimate().seconds, nodes({Axis::Tensor}), nodes({Axis::Pipeline}),
                         nodes({Axis::Data, Axis::Context})};
}

} // namespace

std::vector<std::string> distinctPlacements(const ParallelLayout& layout)
{
    std::vector<std::string> distinct;
    std::set<std::string> seen;
    for (const std::string order : kOrders) {
        if (seen.insert(tellingLetters(order, layout)).second)
            distinct.push_back(order);
    }
    return distinct;
}

Result<std::vector<PlacementCost>> comparePlacements(const SearchRequest& request, const RunSpec& spec)
{
    std::vector<PlacementCost> costs;
    for (const std::string& placement : distinctPlacements(spec.layout)) {
        TRAINYARD_TRY(const PlacementCost cost, costOf(request, spec, placement));
        costs.push_back(cost);
    }
    std::stable_sort(costs.begin(), costs.end(),
                     [](const PlacementCost& a, const PlacementCost& b) { return a.seconds < b.seconds; });
    return costs;
}

} // namespace trainyard
