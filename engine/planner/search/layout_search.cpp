#include "engine/planner/search/layout_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/parameter_parts.h"
#include "engine/planner/search/layout_candidates.h"
#include "engine/planner/stage_costs.h"
#include "engine/planner/state_bytes.h"

namespace trainyard {

namespace {

constexpr std::size_t kSimulatedPerWanted = 2; ///< layouts that are simulated for each that is wanted

/// The layers of each stage, worked out once for each number of stages.
class Partitions {
public:
    explicit Partitions(const SequenceShape& shape) : m_shape(shape) {}

    /// The specification with its partition written by hand, which nobody has to work out again.
    std::optional<RunSpec> fixed(RunSpec spec)
    {
        if (spec.layout.pipeline == 1)
            return spec;
        auto found = m_counts.find(spec.layout.stages());
        if (found == m_counts.end()) {
            const auto counts = layersPerStage(spec, m_shape);
            if (!counts.ok())
                return std::nullopt;
            found = m_counts.emplace(spec.layout.stages(), *counts).first;
        }
        spec.layout.partition = {PartitionKind::ByHand, found->second};
        return spec;
    }

private:
    SequenceShape m_shape;
    std::map<int, std::vector<int>> m_counts;
};

/// No layout of these degrees needs less, whatever it recomputes: gradients and optimizer may be offloaded.
double leastBytes(const RunSpec& spec, double parameters)
{
    const double share = parameters / spec.layout.tensor / spec.layout.pipeline;
    return stateBytes(share, spec.memory.zeroStage, spec.layout.data, {kMixedPrecisionStates.weights, 0, 0});
}

RankNeed needOf(const FoundLayout& layout)
{
    return {layout.onDevice, layout.onHost};
}

class Search {
public:
    explicit Search(const SearchRequest& request)
        : m_request(request)
        , m_partitions(request.shape)
        , m_room(roomOnNode(request.node, request.node.devices))
    {
    }

    Result<std::vector<FoundLayout>> run();

private:
    void searchOn(int nodes);
    std::optional<FoundLayout> fitting(const RunSpec& candidate);
    FoundLayout needing(const RunSpec& spec);
    Status time(FoundLayout& layout, ScheduleDetail detail) const;
    std::vector<FoundLayout> best(std::size_t count);
    double score(const FoundLayout& layout) const;
    Error nothingFits() const;

    const SearchRequest& m_request;
    Partitions m_partitions;
    std::vector<FoundLayout> m_found;
    RankRoom m_room;
    std::size_t m_candidates = 0;
    Bytes m_least = std::numeric_limits<Bytes>::max(); ///< on a device, of all candidates
};

FoundLayout Search::needing(const RunSpec& spec)
{
    const MemoryEstimate memory = estimateMemory(spec, m_request.shape);
    FoundLayout layout;
    layout.spec = spec;
    layout.onDevice = memory.onDevice();
    layout.onHost = memory.total() - memory.onDevice();
    m_least = std::min(m_least, needOnNode(needOf(layout), m_request.node).onDevice);
    return layout;
}

/// Of the ladder's steps that fit the fastest one, or the smallest one where memory is what counts.
std::optional<FoundLayout> Search::fitting(const RunSpec& candidate)
{
    std::optional<FoundLayout> chosen;
    for (const RunSpec& step : memoryLadder(candidate)) {
        const FoundLayout layout = needing(step);
        if (!fits(needOnNode(needOf(layout), m_request.node), m_room))
            continue;
        if (!chosen || layout.onDevice < chosen->onDevice)
            chosen = layout;
        if (m_request.objective != SearchObjective::Memory)
            break;
    }
    return chosen;
}

Status Search::time(FoundLayout& layout, ScheduleDetail detail) const
{
    TRAINYARD_TRY(const StepModel model, StepModel::create(layout.spec, m_request.shape, m_request.node,
                                                           trainyardProgram(), detail));
    layout.time = model.estimate(m_request.coefficients);
    layout.sequencesPerSecond = layout.spec.batch.global / layout.time.seconds;
    const int nodes = (layout.spec.layout.worldSize() + m_request.node.devices - 1) / m_request.node.devices;
    const double perSecond = nodes * m_request.node.price.perHour / 3600;
    layout.costPerMillionSequences = 1e6 * perSecond / layout.sequencesPerSecond;
    return {};
}

void Search::searchOn(int nodes)
{
    const NodeModel& node = m_request.node;
    const double parameters = static_cast<double>(parameterCount(m_request.spec.model));
    const auto candidates =
        layoutCandidates(m_request.spec, m_request.shape, nodes * node.devices, node.devices);
    for (const RunSpec& candidate : candidates) {
        const double least = leastBytes(candidate, parameters);
        ++m_candidates;
        if (least > static_cast<double>(m_room.device)) {
            m_least = std::min(m_least, static_cast<Bytes>(least));
            continue;
        }
        const auto fixed = m_partitions.fixed(candidate);
        auto layout = fixed ? fitting(*fixed) : std::nullopt;
        if (layout && time(*layout, ScheduleDetail::Formula).ok())
            m_found.push_back(std::move(*layout));
    }
}

/// The smaller the better.
double Search::score(const FoundLayout& layout) const
{
    switch (m_request.objective) {
    case SearchObjective::Time:
        return layout.time.seconds;
    case SearchObjective::Cost:
        return layout.costPerMillionSequences;
    case SearchObjective::Memory:
        return static_cast<double>(layout.onDevice);
    }
    return 0;
}

/// The best of each set of degrees.
std::vector<FoundLayout> Search::best(std::size_t count)
{
    std::sort(m_found.begin(), m_found.end(),
              [this](const FoundLayout& a, const FoundLayout& b) { return score(a) < score(b); });
    std::map<std::tuple<int, int, int>, int> seen;
    std::vector<FoundLayout> chosen;
    for (const FoundLayout& layout : m_found) {
        const ParallelLayout& degrees = layout.spec.layout;
        if (chosen.size() < count && seen[{degrees.data, degrees.tensor, degrees.pipeline}]++ == 0)
            chosen.push_back(layout);
    }
    return chosen;
}

Error Search::nothingFits() const
{
    const NodeModel& node = m_request.node;
    if (m_candidates == 0)
        return refused(fmt::format("no degrees and micro-batches divide this model, {} devices and a global "
                                   "batch of {}",
                                   m_request.nodes * node.devices, m_request.spec.batch.global),
                       "take a global batch with more divisors, or another number of nodes");
    if (m_least > m_room.device)
        return refused(fmt::format("no layout of this model fits: the smallest one needs {}, and a device's "
                                   "{} have room for {}",
                                   formatBytes(m_least), formatBytes(node.device.memory),
                                   formatBytes(m_room.device)),
                       "take more nodes, devices with more memory or a smaller model; a global batch with "
                       "more divisors allows more layouts");
    return refused(fmt::format("no layout of this model fits: those that a device has room for leave more in "
                               "the host's memory than a rank's share, {} of {}",
                               formatBytes(m_room.host), formatBytes(node.hostMemory)),
                   "take more nodes, or nodes with more host memory");
}

Result<std::vector<FoundLayout>> Search::run()
{
    if (m_request.objective == SearchObjective::Cost && m_request.node.price.perHour <= 0)
        return badInput("the price of a node is unknown, and the search is for the lowest cost",
                        "give price.per_hour in the node's file");
    const int fewest = m_request.objective == SearchObjective::Cost ? 1 : m_request.nodes;
    for (int nodes = m_request.nodes; nodes >= fewest; nodes /= 2)
        searchOn(nodes);
    if (m_found.empty())
        return nothingFits();
    std::vector<FoundLayout> layouts = best(m_request.top * kSimulatedPerWanted);
    for (FoundLayout& layout : layouts) {
        TRAINYARD_TRY_STATUS(time(layout, ScheduleDetail::Simulated));
        layout.spec.layout.partition = {};
    }
    m_found = std::move(layouts);
    return best(m_request.top);
}

} // namespace

Result<std::vector<FoundLayout>> searchLayouts(const SearchRequest& request)
{
    return Search(request).run();
}

} // namespace trainyard
