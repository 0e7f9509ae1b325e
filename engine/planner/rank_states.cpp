#include "engine/planner/rank_states.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "engine/planner/element_size.h"
#include "engine/planner/parameter_parts.h"

namespace trainyard {

namespace {

/// Which of a rank's states are shared, and where they are: what training/Replica makes of a specification.
struct StateRules {
    explicit StateRules(const RunSpec& spec)
        : replicas(spec.layout.data * spec.layout.context)
        , owners(spec.memory.zeroStage >= 1 ? replicas : 1)
        , compute(static_cast<Bytes>(elementSize(spec.precision.compute)))
        , master(std::max<Bytes>(compute, 4))
        , offloadsOptimizer(spec.memory.offloadOptimizer)
        , offloadsParameters(spec.memory.offloadParameters)
        , shardsWeights(spec.memory.zeroStage >= 3 && (replicas > 1 || offloadsParameters))
        , shardsGradients(spec.memory.zeroStage >= 2 && replicas > 1)
        , bucketsPass(shardsGradients || offloadsOptimizer)
        , reducesOnce(spec.layout.pipeline > 1 ||
                      (!shardsGradients && replicas > 1 && spec.batch.accumulation > 1))
    {
    }

    bool separateMasters() const { return offloadsOptimizer || shardsWeights || compute < master; }
    MemoryCategory masters() const
    {
        return offloadsOptimizer || offloadsParameters ? MemoryCategory::Host : MemoryCategory::Weights;
    }
    MemoryCategory withOptimizer(MemoryCategory onDevice) const
    {
        return offloadsOptimizer ? MemoryCategory::Host : onDevice;
    }

    int replicas; ///< ranks with the same weights
    int owners;
    Bytes compute; ///< of an element
    Bytes master;
    bool offloadsOptimizer;
    bool offloadsParameters;
    bool shardsWeights;
    bool shardsGradients;
    bool bucketsPass; ///< buffers of gradients live until they were reduced
    bool reducesOnce; ///< after the last of several micro-batches
};

/// The flat buffers of one stage on one rank, in elements.
struct StageBuffers {
    std::int64_t count = 0;
    std::int64_t owned = 0;            ///< of them one owner's
    std::vector<std::int64_t> numbers; ///< by owner, without gaps
    std::int64_t passing = 0;          ///< of the buckets that are there at once, at most
    std::int64_t gathered = 0;         ///< of two parts behind each other, at most
};

/// Of the buckets that gradients pass through, front first, one is reduced while the next one fills. A tied
/// head begins the gradient of the word embeddings, so their bucket, the last one, is there all the time.
std::int64_t largestPassing(const std::vector<FlatBucket>& buckets, bool lastBeginsFirst)
{
    const std::int64_t waiting = lastBeginsFirst ? buckets.back().size() : 0;
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < buckets.size() - (lastBeginsFirst ? 1 : 0); ++i)
        largest = std::max(largest, buckets[i].size() + (i > 0 ? buckets[i - 1].size() : 0));
    return largest + waiting;
}

/// Where each part is a bucket. A part and the next one are there at once; a tied head needs the embeddings
/// (parallel/zero/PartGatherer).
std::int64_t largestGathered(const std::vector<FlatBlock>& blocks, const FlatPlacement& placement,
                             const ModelSpec& model)
{
    std::map<int, std::int64_t> parts;
    for (const FlatBucket& bucket : placement.buckets)
        parts[blocks[bucket.blocks.front()].part] = bucket.size();
    if (model.tiedHead)
        parts[model.layers] += parts[-1];
    std::int64_t largest = 0;
    for (int part = 0; part <= model.layers; ++part)
        largest = std::max(largest, parts[part] + parts[part - 1]);
    return largest;
}

StageBuffers stageBuffers(const RunSpec& spec, const StageContents& stage, const StateRules& rules,
                          int tensorRank)
{
    const std::vector<FlatBlock> blocks = flatBlocks(spec.model, stage, tensorRank, spec.layout.tensor);
    const auto bucketElements = static_cast<std::int64_t>(spec.layout.bucketSize / rules.master);
    const FlatPlacement placement = placeFlat(blocks, {rules.owners, bucketElements, rules.shardsWeights});
    return {placement.count, placement.count / rules.owners, elementsByOwner(blocks, placement, rules.owners),
            largestPassing(placement.buckets, spec.model.tiedHead && stage.embeddings && stage.head),
            rules.shardsWeights ? largestGathered(blocks, placement, spec.model) : 0};
}

/// Of all stages of a rank; their buckets pass one stage after the other.
StageBuffers rankBuffers(const RunSpec& spec, const std::vector<int>& layerCounts, const StateRules& rules,
                         const GridCoord& rank)
{
    StageBuffers sum;
    sum.numbers.resize(static_cast<std::size_t>(rules.owners));
    const int stages = static_cast<int>(layerCounts.size());
    for (int stage = rank.pipeline; stage < stages; stage += spec.layout.pipeline) {
        const StageBuffers one = stageBuffers(
            spec, {stage == 0, layerCounts[static_cast<std::size_t>(stage)], stage + 1 == stages}, rules,
            rank.tensor);
        sum.count += one.count;
        sum.owned += one.owned;
        std::ranges::transform(sum.numbers, one.numbers, sum.numbers.begin(), std::plus<>());
        sum.passing = std::max(sum.passing, one.passing);
        sum.gathered = std::max(sum.gathered, one.gathered);
    }
    return sum;
}

Bytes& at(MemoryByCategory& bytes, MemoryCategory category)
{
    return bytes[static_cast<std::size_t>(category)];
}

void addWeights(RankStates& states, const StageBuffers& buffers, const StateRules& rules)
{
    const Bytes owned = static_cast<Bytes>(buffers.owned);
    if (rules.separateMasters())
        at(states.kept, rules.masters()) += owned * rules.master;
    if (!rules.shardsWeights) {
        at(states.kept, MemoryCategory::Weights) += static_cast<Bytes>(buffers.count) * rules.compute;
        return;
    }
    if (rules.offloadsOptimizer && !rules.offloadsParameters)
        at(states.kept, MemoryCategory::Weights) += owned * rules.compute;
    const Bytes gathered = static_cast<Bytes>(buffers.gathered) * rules.compute;
    const bool visits = rules.offloadsParameters && !rules.offloadsOptimizer; // masters, for the update
    at(states.passing, MemoryCategory::Weights) =
        visits ? std::max(gathered, owned * rules.master) : gathered;
}

void addGradients(RankStates& states, const StageBuffers& buffers, const StateRules& rules)
{
    const std::int64_t resident = rules.bucketsPass ? buffers.owned : buffers.count;
    at(states.kept, rules.withOptimizer(MemoryCategory::Gradients)) +=
        static_cast<Bytes>(resident) * rules.master;
    if (rules.bucketsPass)
        at(states.passing, MemoryCategory::Gradients) =
            static_cast<Bytes>(rules.reducesOnce ? buffers.count : buffers.passing) * rules.master;
}

RankStates statesOf(const RunSpec& spec, const StageBuffers& buffers, const StateRules& rules,
                    std::int64_t ownedNumbers)
{
    RankStates states{.updated = ownedNumbers};
    addWeights(states, buffers, rules);
    addGradients(states, buffers, rules);
    at(states.kept, rules.withOptimizer(MemoryCategory::Optimizer)) +=
        stateNumbers(spec.optimizer) * static_cast<Bytes>(ownedNumbers) * rules.master;
    return states;
}

Bytes totalOf(const RankStates& states)
{
    const auto sum = [](const MemoryByCategory& bytes) {
        return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
    };
    return sum(states.kept) + sum(states.passing);
}

} // namespace

Bytes stateNumbers(const OptimizerSpec& optimizer)
{
    if (optimizer.kind == OptimizerKind::Sgd)
        return optimizer.momentum > 0 ? 1 : 0;
    return 2;
}

RankStates rankStates(const RunSpec& spec, const std::vector<int>& layerCounts, const GridCoord& rank)
{
    const StateRules rules(spec);
    const StageBuffers buffers = rankBuffers(spec, layerCounts, rules, rank);
    const int replica = rank.data * spec.layout.context + rank.context;
    return statesOf(spec, buffers, rules, buffers.numbers[static_cast<std::size_t>(replica % rules.owners)]);
}

// The first rank of a tensor-parallel group has the most.
RankStates largestRankStates(const RunSpec& spec, const std::vector<int>& layerCounts, int pipeline)
{
    const StateRules rules(spec);
    const StageBuffers buffers = rankBuffers(spec, layerCounts, rules, {.pipeline = pipeline});
    return statesOf(spec, buffers, rules, std::ranges::max(buffers.numbers));
}

RankStates largestRankStates(const RunSpec& spec, const std::vector<int>& layerCounts)
{
    RankStates largest;
    for (int pipeline = 0; pipeline < spec.layout.pipeline; ++pipeline) {
        const RankStates states = largestRankStates(spec, layerCounts, pipeline);
        if (totalOf(states) > totalOf(largest))
            largest = states;
    }
    return largest;
}

} // namespace trainyard
