#include "app/plan/scaled_specs.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

/// Keeps the first hosts until `ranks` slots are there; the last one is cut.
ClusterSpec firstSlots(const ClusterSpec& cluster, int ranks)
{
    ClusterSpec part;
    part.nodes.clear();
    for (const NodeSpec& node : cluster.nodes) {
        if (ranks <= 0)
            break;
        NodeSpec taken = node;
        taken.slotCount = std::min(node.slotCount, ranks);
        ranks -= taken.slotCount;
        part.nodes.push_back(taken);
    }
    return part;
}

} // namespace

Result<RunSpec> scaledCopy(const RunSpec& spec, int ranks, Scaling scaling)
{
    TRAINYARD_TRY(RunSpec copy, scaledLayout(spec, ranks, scaling));
    if (ranks > spec.cluster.totalSlots())
        return refused(fmt::format("{} ranks need {} slots, but the cluster has {}", ranks, ranks,
                                   spec.cluster.totalSlots()),
                       "add hosts or slots");
    copy.name = fmt::format("{}-{}r", spec.name, ranks);
    copy.cluster = firstSlots(spec.cluster, ranks);
    return copy;
}

} // namespace trainyard
