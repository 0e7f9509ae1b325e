#include "engine/planner/partition/stage_division.h"

#include <algorithm>

#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/partition/rank_balance.h"

namespace trainyard {

namespace {

std::vector<HostMemory> allHosts(const std::vector<PipelineNode>& nodes)
{
    std::vector<HostMemory> hosts;
    for (const PipelineNode& node : nodes)
        hosts.insert(hosts.end(), node.hosts.begin(), node.hosts.end());
    return hosts;
}

/// With the device that all its ranks get.
RunSpec resolved(RunSpec spec, const std::vector<PipelineNode>& nodes)
{
    spec.launch.device = resolvedDevice(spec.launch.device, allHosts(nodes));
    return spec;
}

/// Whether each pipeline rank fits all its hosts.
std::vector<bool> fitOfRanks(const RunSpec& spec, const SequenceShape& shape,
                             const std::vector<PipelineNode>& nodes)
{
    const std::vector<MemoryByCategory> bytes =
        memoryOfPipelineRanks(resolved(spec, nodes), shape, productsOn(spec, allHosts(nodes)));
    std::vector<bool> fits;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
        const RankNeed need = needOf(bytes[rank]);
        fits.push_back(
            std::ranges::all_of(nodes[rank].hosts, [&](const HostMemory& host) { return host.holds(need); }));
    }
    return fits;
}

bool allFit(const std::vector<bool>& fits)
{
    return std::ranges::find(fits, false) == fits.end();
}

/// The longest stage of a pipeline rank.
std::size_t longestOf(const std::vector<int>& layerCounts, std::size_t rank, std::size_t ranks)
{
    std::size_t longest = rank;
    for (std::size_t stage = rank; stage < layerCounts.size(); stage += ranks) {
        if (layerCounts[stage] > layerCounts[longest])
            longest = stage;
    }
    return longest;
}

RunSpec byHand(RunSpec spec, const std::vector<int>& layerCounts)
{
    if (spec.layout.pipeline > 1)
        spec.layout.partition = {PartitionKind::ByHand, layerCounts};
    return spec;
}

/// `step`: seconds with such layers.
template <typename Step>
Result<std::vector<int>> fasterOf(const std::vector<int>& a, const std::vector<int>& b, Step step)
{
    TRAINYARD_TRY(const double withA, step(a));
    TRAINYARD_TRY(const double withB, step(b));
    return withB < withA ? b : a;
}

Result<StageDivision> judged(std::optional<PartitionKind> kind, const std::vector<int>& layerCounts,
                             const RunSpec& asked, const SequenceShape& shape,
                             const std::vector<PipelineNode>& nodes, const std::optional<PartCosts>& measured)
{
    const RunSpec spec = byHand(asked, layerCounts);
    TRAINYARD_TRY(const StageTimes times, timeStages(spec, shape, nodes, measured));
    return StageDivision{
        kind, layerCounts, times.step,
        estimateMemory(resolved(spec, nodes), shape, productsOn(spec, allHosts(nodes))).onDevice(),
        allFit(fitOfRanks(spec, shape, nodes))};
}

std::vector<PartitionKind> kindsFor(const StagePartition& asked)
{
    std::vector<PartitionKind> kinds{PartitionKind::Layers, PartitionKind::Parameters, PartitionKind::Cost};
    if (asked.kind == PartitionKind::ByHand)
        kinds.push_back(PartitionKind::ByHand);
    return kinds;
}

} // namespace

Result<std::vector<int>> layersByTime(const RunSpec& spec, const SequenceShape& shape,
                                      const std::vector<PipelineNode>& nodes,
                                      const std::optional<PartCosts>& measured)
{
    RunSpec even = spec;
    even.layout.partition = {};
    TRAINYARD_TRY(const StageTimes times, timeStages(even, shape, nodes, measured));
    const int stages = static_cast<int>(times.costs.stages.size());
    StageDevices devices{times.slowness, std::vector<int>(times.slowness.size(), spec.model.layers)};
    const auto step = [&](const std::vector<int>& counts) -> Result<double> {
        TRAINYARD_TRY(const StageTimes played, timeStages(byHand(spec, counts), shape, nodes, measured));
        return played.step;
    };
    for (;;) {
        TRAINYARD_TRY(std::vector<int> counts, partitionLayers(times.parts, stages, devices));
        if (spec.layout.virtualStages > 1) {
            TRAINYARD_TRY(
                counts,
                fasterOf(counts, balancedRanks(counts, spec.layout.pipeline, times.parts, devices), step));
        }
        const std::vector<bool> fits = fitOfRanks(byHand(spec, counts), shape, nodes);
        if (allFit(fits))
            return counts;
        for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
            const std::size_t longest = longestOf(counts, rank, nodes.size());
            if (!fits[rank])
                devices.most[longest] = counts[longest] - 1;
        }
    }
}

RunSpec withLayers(const RunSpec& spec, const SequenceShape& shape, const std::vector<int>& layerCounts)
{
    RunSpec even = spec;
    even.layout.partition = {};
    const auto equal = layersPerStage(even, shape);
    return equal.ok() && *equal == layerCounts ? even : byHand(spec, layerCounts);
}

Result<std::vector<StageDivision>> divideStages(const RunSpec& spec, const SequenceShape& shape,
                                                const std::vector<PipelineNode>& nodes,
                                                const std::optional<PartCosts>& measured)
{
    std::vector<StageDivision> found;
    const auto add = [&](std::optional<PartitionKind> kind, const std::vector<int>& counts) -> Status {
        if (std::ranges::find(found, counts, &StageDivision::layerCounts) != found.end())
            return {};
        TRAINYARD_TRY(StageDivision division, judged(kind, counts, spec, shape, nodes, measured));
        found.push_back(std::move(division));
        return {};
    };
    if (const auto counts = layersByTime(spec, shape, nodes, measured); counts.ok())
        TRAINYARD_TRY_STATUS(add(std::nullopt, *counts));
    for (const PartitionKind kind : kindsFor(spec.layout.partition)) {
        RunSpec other = spec;
        other.layout.partition.kind = kind;
        TRAINYARD_TRY(const std::vector<int> counts, layersPerStage(other, shape));
        TRAINYARD_TRY_STATUS(add(kind, counts));
    }
    std::ranges::stable_sort(found, [](const StageDivision& a, const StageDivision& b) {
        return std::pair(!a.fits, a.step) < std::pair(!b.fits, b.step);
    });
    return found;
}

} // namespace trainyard
