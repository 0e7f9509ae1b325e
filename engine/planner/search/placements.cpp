#include "engine/planner/search/placements.h"

#include <algorithm>

#include "engine/planner/partition/distinct_placements.h"
#include "engine/planner/time/group_place.h"

namespace trainyard {

namespace {

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
