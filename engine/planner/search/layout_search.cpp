#include "engine/planner/search/layout_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/rank_states.h"
#include "engine/planner/partition/distinct_placements.h"
#include "engine/planner/partition/stage_division.h"
#include "engine/planner/search/layout_candidates.h"
#include "engine/planner/search/layout_ranking.h"
#include "engine/planner/search/placements.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

// At least so many layouts are looked at, and more where more are wanted: which one is the best does not
// depend on how many are told.
constexpr std::size_t kRefined = 40;   ///< tried with other placements and measures
constexpr std::size_t kSimulated = 40; ///< simulated
constexpr std::size_t kPlaced = 10;    ///< simulated in every placement

constexpr std::size_t kCandidatesPerQuestion = 8; ///< between two calls of SearchRequest::goesOn
constexpr double kTimedByFormula = 0.6;           ///< share of the search

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

/// No layout of these degrees needs less, whatever it recomputes and offloads.
double leastBytes(const RunSpec& spec, double parameters)
{
    if (spec.memory.zeroStage == 3)
        return 0; // the weights too
    const double held = splitOf(parameters, spec, Counted::All, spec.model.layers).total();
    const double share = held / spec.layout.tensor / spec.layout.pipeline;
    return stateBytes(share, spec.memory.zeroStage, spec.layout.shardRanks(),
                      {kMixedPrecisionStates.weights, 0, 0});
}

/// Those that differ.
std::vector<ExpertPlacement> expertPlacements(const ParallelLayout& layout)
{
    if (layout.expert == 1 || layout.expert == layout.data)
        return {ExpertPlacement::Inner};
    return {ExpertPlacement::Inner, ExpertPlacement::Outer};
}

/// Of the room of a device, from which on the states of a pipeline's rank are worth sharing further.
constexpr double kMuchState = 0.25;

/// Weights and gradients of a rank with ZeRO 1.
double keptStates(const RunSpec& spec, double parameters)
{
    const double held = splitOf(parameters, spec, Counted::All, spec.model.layers).total();
    const StateBytes each{kMixedPrecisionStates.weights, kMixedPrecisionStates.gradients, 0};
    return stateBytes(held / spec.layout.tensor / spec.layout.pipeline, 1, spec.layout.shardRanks(), each);
}

/// All share the states, or those of a node do where there are more.
std::vector<int> shardsOn(const NodeModel& node, const RunSpec& spec)
{
    const ParallelLayout& layout = spec.layout;
    const int here = std::max(1, node.devices / layout.tensor);
    RunSpec within = spec;
    within.layout.shard = here;
    const bool isCut = spec.memory.zeroStage > 0 && here > 1 && here < layout.holders() &&
                       layout.holders() % here == 0 && within.layout.cutsExpertsAlike();
    return isCut ? std::vector{0, here} : std::vector{0};
}

/// Adds those that are not there yet.
void join(std::vector<FoundLayout>& layouts, const std::vector<FoundLayout>& more, std::size_t most)
{
    for (const FoundLayout& layout : more) {
        const auto same = [&](const FoundLayout& other) { return other.spec == layout.spec; };
        if (layouts.size() < most && std::none_of(layouts.begin(), layouts.end(), same))
            layouts.push_back(layout);
    }
}

class Search {
public:
    explicit Search(const SearchRequest& request)
        : m_request(request)
        , m_partitions(request.shape)
        , m_host(onHardware({.host = request.node.name, .ranks = request.node.devices}, request.node,
                            request.spec.launch.device))
        , m_room(*m_host.capacity())
        , m_parameters(static_cast<double>(parameterCount(request.spec.model)))
    {
    }

    Result<std::vector<FoundLayout>> run();

private:
    std::vector<int> clusterSizes() const;
    Status searchOn(int nodes, double from, double to);
    void consider(const RunSpec& candidate);
    bool add(const RunSpec& candidate);
    std::optional<FoundLayout> fitting(const RunSpec& candidate);
    bool fitsNode(const FoundLayout& layout);
    Status checkRequest() const;
    Result<RunSpec> wellPlaced(RunSpec spec) const;
    Result<std::vector<FoundLayout>> refined(const FoundLayout& layout);
    Result<FoundLayout> simulated(const FoundLayout& layout, double done) const;
    Status placeBest(FoundLayout& layout) const;
    std::vector<FoundLayout> shortList(std::vector<FoundLayout> layouts, std::size_t count) const;
    std::vector<FoundLayout> wanted(std::vector<FoundLayout> layouts, std::size_t count) const;
    std::size_t atLeast(std::size_t count) const { return std::max(count, m_request.top); }
    Status goOn(double share) const;
    Error nothingFits() const;

    const SearchRequest& m_request;
    Partitions m_partitions;
    std::vector<FoundLayout> m_found;
    HostMemory m_host; ///< any of them, full
    Bytes m_room;
    double m_parameters; ///< of the model
    std::size_t m_candidates = 0;
    Bytes m_least = std::numeric_limits<Bytes>::max(); ///< on a device, of all candidates
};

Status Search::goOn(double share) const
{
    if (m_request.goesOn && !m_request.goesOn(share))
        return cancelled("the search was stopped");
    return {};
}

/// The lowest cost may be that of fewer nodes.
std::vector<int> Search::clusterSizes() const
{
    const int fewest = m_request.objective == SearchObjective::Cost ? 1 : m_request.nodes;
    std::vector<int> sizes;
    for (int nodes = m_request.nodes; nodes >= fewest; nodes /= 2)
        sizes.push_back(nodes);
    return sizes;
}

bool Search::fitsNode(const FoundLayout& layout)
{
    const RankNeed need{layout.onDevice, layout.onHost};
    m_least = std::min(m_least, m_host.needed(need));
    return m_host.holds(need);
}

/// Of the ladder's steps that fit the first one, or the smallest one where memory is what counts. Not timed.
std::optional<FoundLayout> Search::fitting(const RunSpec& candidate)
{
    std::optional<FoundLayout> chosen;
    for (const RunSpec& step : memoryLadder(candidate)) {
        FoundLayout layout = untimedLayout(m_request, step);
        if (!fitsNode(layout))
            continue;
        if (!chosen || layout.onDevice < chosen->onDevice)
            chosen = std::move(layout);
        if (m_request.objective != SearchObjective::Memory)
            break;
    }
    return chosen;
}

/// Returns whether it fits without the host's memory.
bool Search::add(const RunSpec& candidate)
{
    const double least = leastBytes(candidate, m_parameters);
    if (least > static_cast<double>(m_room)) {
        m_least = std::min(m_least, static_cast<Bytes>(least));
        return false;
    }
    const auto fixed = m_partitions.fixed(candidate);
    auto layout = fixed ? fitting(*fixed) : std::nullopt;
    if (!layout || !timeLayout(m_request, *layout, ScheduleDetail::Formula).ok())
        return false;
    m_found.push_back(std::move(*layout));
    const MemorySpec& memory = m_found.back().spec.memory;
    return !memory.offloadActivations && !memory.offloadOptimizer;
}

/// A pipeline's gradients and weights travel in every pass with ZeRO 3: only for want of memory.
void Search::consider(const RunSpec& candidate)
{
    const bool fits = add(candidate);
    if (fits || candidate.layout.pipeline == 1 || candidate.memory.zeroStage != 1 ||
        keptStates(candidate, m_parameters) < kMuchState * static_cast<double>(m_room))
        return;
    RunSpec shared = candidate;
    shared.memory.zeroStage = 3;
    add(shared);
}

/// `from` and `to`: shares of the search.
Status Search::searchOn(int nodes, double from, double to)
{
    const NodeModel& node = m_request.node;
    const auto candidates =
        layoutCandidates(m_request.spec, m_request.shape, nodes * node.devices, node.devices);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (i % kCandidatesPerQuestion == 0) {
            const double done = static_cast<double>(i) / static_cast<double>(candidates.size());
            TRAINYARD_TRY_STATUS(goOn(from + (to - from) * done));
        }
        consider(candidates[i]);
    }
    m_candidates += candidates.size();
    return {};
}

std::vector<FoundLayout> Search::shortList(std::vector<FoundLayout> layouts, std::size_t count) const
{
    rank(layouts, m_request.objective);
    std::vector<FoundLayout> list = bestOfDegrees(layouts, count / 2);
    join(list, bestCompromises(layouts, m_request.objective, count - list.size()), count);
    return list;
}

Result<RunSpec> Search::wellPlaced(RunSpec spec) const
{
    RunSpec best = spec;
    double seconds = std::numeric_limits<double>::infinity();
    for (const ExpertPlacement experts : expertPlacements(spec.layout)) {
        spec.layout.expertPlacement = experts;
        for (const std::string& placement : distinctPlacements(spec.layout)) {
            TRAINYARD_TRY_STATUS(goOn(kTimedByFormula));
            spec.layout.placement = placement;
            const auto layout = weighLayout(m_request, spec, ScheduleDetail::Formula);
            if (!layout.ok() || layout->time.seconds >= seconds)
                continue;
            seconds = layout->time.seconds;
            best = spec;
        }
    }
    return best;
}

/// The same degrees in their best placement, with every measure against memory that fits, and with copies of
/// the states where that fits.
Result<std::vector<FoundLayout>> Search::refined(const FoundLayout& layout)
{
    std::vector<FoundLayout> variants;
    TRAINYARD_TRY(RunSpec placed, wellPlaced(layout.spec));
    for (const int shard : shardsOn(m_request.node, placed)) {
        placed.layout.shard = shard;
        for (const RunSpec& spec : memoryLadder(placed)) {
            TRAINYARD_TRY_STATUS(goOn(kTimedByFormula));
            const auto variant = weighLayout(m_request, spec, ScheduleDetail::Formula);
            if (!variant.ok() || !fitsNode(*variant))
                continue;
            variants.push_back(*variant);
            if (shard > 0)
                break; // copies are for speed
        }
    }
    return variants;
}

/// With its layers dealt out by time, where the objective likes that better. `done`: share of the search.
Result<FoundLayout> Search::simulated(const FoundLayout& layout, double done) const
{
    RunSpec even = layout.spec;
    even.layout.partition = {};
    TRAINYARD_TRY_STATUS(goOn(done));
    TRAINYARD_TRY(FoundLayout best, weighLayout(m_request, even));
    TRAINYARD_TRY_STATUS(goOn(done));
    const std::vector<PipelineNode> nodes(static_cast<std::size_t>(even.layout.pipeline),
                                          {m_request.node, {m_host}});
    const auto counts = layersByTime(even, m_request.shape, nodes);
    const RunSpec byTime = counts.ok() ? withLayers(even, m_request.shape, *counts) : even;
    if (byTime == even)
        return best;
    TRAINYARD_TRY(FoundLayout other, weighLayout(m_request, byTime));
    const bool isBetter = scoreOf(other, m_request.objective) < scoreOf(best, m_request.objective);
    return isBetter ? std::move(other) : std::move(best);
}

Status Search::placeBest(FoundLayout& layout) const
{
    TRAINYARD_TRY(std::vector<PlacementCost> placements, comparePlacements(m_request, layout.spec));
    layout.spec.layout.placement = placements.front().placement;
    layout.placements = std::move(placements);
    return timeLayout(m_request, layout);
}

std::vector<FoundLayout> Search::wanted(std::vector<FoundLayout> layouts, std::size_t count) const
{
    rank(layouts, m_request.objective);
    std::vector<FoundLayout> rows = bestCompromises(layouts, m_request.objective, count);
    join(rows, bestOfDegrees(layouts, layouts.size()), count);
    rank(rows, m_request.objective);
    return rows;
}

Error Search::nothingFits() const
{
    const NodeModel& node = m_request.node;
    if (m_candidates == 0)
        return refused(
            fmt::format(
                "no degrees and micro-batch sizes divide this model, {} devices and a global batch of {}",
                m_request.nodes * node.devices, m_request.spec.batch.global),
            "use a global batch with more divisors, or another number of nodes");
    if (m_least > m_room)
        return refused(
            fmt::format(
                "no layout of this model fits: the smallest one needs {}, but a device of {} can hold {}",
                formatBytes(m_least), formatBytes(node.device.memory), formatBytes(m_room)),
            "use more nodes, devices with more memory or a smaller model; a global batch with more divisors "
            "allows more layouts");
    return refused(fmt::format("no layout of this model fits: those that fit a device need more host memory "
                               "than a rank's share, {} of {}",
                               formatBytes(m_host.mainPerRank.value_or(0)), formatBytes(node.hostMemory)),
                   "use more nodes, or nodes with more host memory");
}

Status Search::checkRequest() const
{
    const std::int64_t devices = std::int64_t{m_request.nodes} * m_request.node.devices;
    if (devices > kMaxRanks)
        return badInput(fmt::format("{} nodes have {} devices, but a run can have at most {} ranks",
                                    m_request.nodes, devices, kMaxRanks),
                        fmt::format("use {} nodes or fewer", kMaxRanks / m_request.node.devices));
    if (m_request.objective == SearchObjective::Cost && m_request.node.price.perHour <= 0)
        return badInput("the search is for the lowest cost, but the price of a node is unknown",
                        "give price.per_hour in the node's file");
    return {};
}

Result<std::vector<FoundLayout>> Search::run()
{
    TRAINYARD_TRY_STATUS(checkRequest());
    const std::vector<int> sizes = clusterSizes();
    const double each = kTimedByFormula / static_cast<double>(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
        TRAINYARD_TRY_STATUS(
            searchOn(sizes[i], each * static_cast<double>(i), each * static_cast<double>(i + 1)));
    if (m_found.empty())
        return nothingFits();

    std::vector<FoundLayout> variants;
    for (const FoundLayout& layout : shortList(std::move(m_found), atLeast(kRefined))) {
        TRAINYARD_TRY(const std::vector<FoundLayout> more, refined(layout));
        join(variants, more, std::numeric_limits<std::size_t>::max());
    }
    std::vector<FoundLayout> timed;
    const std::vector<FoundLayout> list = shortList(std::move(variants), atLeast(kSimulated));
    for (const FoundLayout& layout : list) {
        const double done = static_cast<double>(timed.size()) / static_cast<double>(list.size());
        TRAINYARD_TRY(FoundLayout exact, simulated(layout, kTimedByFormula + (1 - kTimedByFormula) * done));
        timed.push_back(std::move(exact));
    }
    std::vector<FoundLayout> placed = wanted(std::move(timed), atLeast(kPlaced));
    for (FoundLayout& layout : placed) {
        TRAINYARD_TRY_STATUS(goOn(1));
        TRAINYARD_TRY_STATUS(placeBest(layout));
    }
    return wanted(std::move(placed), m_request.top);
}

} // namespace

Result<std::vector<FoundLayout>> searchLayouts(const SearchRequest& request)
{
    return Search(request).run();
}

} // namespace trainyard
