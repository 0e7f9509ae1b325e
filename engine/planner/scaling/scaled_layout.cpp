#include "engine/planner/scaling/scaled_layout.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

#include "engine/planner/scaling/studied_phase.h"
#include "engine/spec/limits.h"

namespace trainyard {

Result<RunSpec> scaledLayout(const RunSpec& spec, int ranks, Scaling scaling)
{
    const ParallelLayout& layout = spec.layout;
    const std::int64_t model = std::int64_t{layout.context} * layout.tensor * layout.pipeline;
    if (ranks < 1 || model < 1 || ranks % model != 0)
        return badInput(
            fmt::format("{} ranks cannot hold complete copies of a model that needs {}", ranks, model));
    if (ranks > kMaxRanks)
        return badInput(fmt::format("{} ranks are more than {}", ranks, kMaxRanks), "use fewer");
    if (spec.batch.micro < 1)
        return badInput(fmt::format("batch.micro: is {}", spec.batch.micro), "must be at least 1");
    RunSpec copy = spec;
    copy.batch.ramp = {}; // what scales is the step of the full batch
    copy.layout = layout.withData(static_cast<int>(ranks / model));
    const std::int64_t perStep = std::int64_t{copy.batch.micro} * copy.layout.data;
    if (scaling == Scaling::Weak) {
        const std::int64_t global = perStep * copy.batch.accumulation;
        if (global > std::numeric_limits<int>::max())
            return badInput(fmt::format("a global batch of {} is too large", global), "use fewer ranks");
        copy.batch.global = static_cast<int>(global);
        return copy;
    }
    if (copy.batch.global % perStep != 0)
        return refused(fmt::format("a global batch of {} cannot be split over {} ranks of micro-batch {}",
                                   copy.batch.global, copy.layout.data, copy.batch.micro),
                       "change the micro-batch, or scale weakly");
    copy.batch.accumulation = static_cast<int>(copy.batch.global / perStep);
    return copy;
}

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
    TRAINYARD_TRY(RunSpec copy, scaledLayout(studiedPhase(spec), ranks, scaling));
    if (ranks > spec.cluster.totalSlots())
        return refused(fmt::format("{} ranks need {} slots, but the cluster has {}", ranks, ranks,
                                   spec.cluster.totalSlots()),
                       "add hosts or slots");
    copy.name = fmt::format("{}-{}r", spec.name, ranks);
    copy.cluster = firstSlots(spec.cluster, ranks);
    return copy;
}

} // namespace trainyard
