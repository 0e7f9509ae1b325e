#include "app/models/scaled_specs.h"

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
    const int model = spec.layout.context * spec.layout.tensor * spec.layout.pipeline;
    if (ranks < 1 || model < 1 || ranks % model != 0)
        return badInput(
            fmt::format("{} ranks cannot hold whole copies of a model on {} ranks", ranks, model));
    if (ranks > spec.cluster.totalSlots())
        return refused(fmt::format("{} ranks need {} slots, and the cluster has {}", ranks, ranks,
                                   spec.cluster.totalSlots()),
                       "add hosts or slots");
    RunSpec copy = spec;
    copy.name = fmt::format("{}-{}r", spec.name, ranks);
    copy.cluster = firstSlots(spec.cluster, ranks);
    copy.layout.data = ranks / model;
    const int perStep = copy.batch.micro * copy.layout.data;
    if (scaling == Scaling::Weak) {
        copy.batch.global = perStep * copy.batch.accumulation;
        return copy;
    }
    if (copy.batch.global % perStep != 0)
        return refused(fmt::format("a global batch of {} cannot be split over {} ranks of micro-batch {}",
                                   copy.batch.global, copy.layout.data, copy.batch.micro),
                       "change the micro-batch, or scale weakly");
    copy.batch.accumulation = copy.batch.global / perStep;
    return copy;
}

} // namespace trainyard
