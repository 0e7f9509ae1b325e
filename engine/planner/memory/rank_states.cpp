#include "engine/planner/memory/rank_states.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "engine/planner/layout/parameter_parts.h"
#include "engine/planner/layout/shape.h"
#include "engine/planner/memory/state_rules.h"

namespace trainyard {

namespace {

/// The flat buffers of one stage on one rank, in elements.
struct StageBuffers {
    std::int64_t count = 0;
    std::int64_t owned = 0;            ///< of them one owner's
    std::int64_t trained = 0;          ///< all but the frozen ones
    std::int64_t trainedOwned = 0;     ///< of them one owner's
    std::vector<std::int64_t> numbers; ///< trained ones by owner, without gaps
    std::vector<std::int64_t> expertNumbers; ///< the same of experts that ranks share
    ByMoment<std::int64_t> buckets{};  ///< of gradients that are there at once
    ByMoment<std::int64_t> gathered{}; ///< of weights that are
    std::int64_t leftGathered = 0;     ///< of them while another stage of the rank computes
};

/// Trained elements that one rank updates.
struct OwnedNumbers {
    std::int64_t shared = 0;    ///< by the other tensors' owners
    std::int64_t ofExperts = 0; ///< that ranks share
};

/// Buckets of gradients on their way, front first: one is reduced while the next one fills. A tied head
/// begins the gradient of the word embeddings, so their bucket, the last one, is there all the time.
class PassingBuckets {
public:
    PassingBuckets(const std::vector<FlatBlock>& blocks, const FlatPlacement& placement, bool lastBeginsFirst)
        : m_blocks(blocks)
        , m_buckets(placement.buckets.begin(),
                    placement.buckets.begin() + static_cast<std::ptrdiff_t>(placement.trainedBuckets))
        , m_waiting(lastBeginsFirst ? m_buckets.back().size() : 0)
        , m_passing(m_buckets.size() - (lastBeginsFirst ? 1 : 0))
    {
    }

    /// Once the head's first gradients are there: those of the front unless the decoder is all that it has.
    std::int64_t inHead(bool decoderAlone) const
    {
        return m_waiting + (m_passing > 0 && !(decoderAlone && m_waiting > 0) ? m_buckets.front().size() : 0);
    }

    /// When the first gradient of the part is there.
    std::int64_t inPart(int part) const
    {
        const auto has = [&](const FlatBucket& bucket) {
            return std::ranges::any_of(bucket.blocks,
                                       [&](std::size_t block) { return m_blocks[block].part == part; });
        };
        return m_waiting +
               pairAt(static_cast<std::size_t>(std::ranges::find_if(m_buckets, has) - m_buckets.begin()));
    }

    std::int64_t atMost() const
    {
        std::int64_t largest = 0;
        for (std::size_t i = 0; i < m_passing; ++i)
            largest = std::max(largest, pairAt(i));
        return m_waiting + largest;
    }

private:
    std::int64_t pairAt(std::size_t index) const
    {
        if (index >= m_passing)
            return m_passing > 0 ? m_buckets[m_passing - 1].size() : 0;
        return m_buckets[index].size() + (index > 0 ? m_buckets[index - 1].size() : 0);
    }

    const std::vector<FlatBlock>& m_blocks;
    const std::vector<FlatBucket> m_buckets; // of trained blocks
    const std::int64_t m_waiting;
    const std::size_t m_passing;
};

ByMoment<std::int64_t> passingBuckets(const RunSpec& spec, const StageContents& stage,
                                      const std::vector<FlatBlock>& blocks, const FlatPlacement& placement)
{
    const PassingBuckets buckets(blocks, placement,
                                 spec.model.trainsSharedWords() && stage.embeddings && stage.head);
    ByMoment<std::int64_t> elements{};
    if (stage.head && trainedParts(spec.model).head + trainedParts(spec.model).words > 0)
        at(elements, StepMoment::HeadWeights) = buckets.inHead(spec.model.isDecoder());
    at(elements, StepMoment::FeedForward) = buckets.inPart(stage.layers - 1);
    at(elements, StepMoment::Attention) = at(elements, StepMoment::FeedForward);
    at(elements, StepMoment::FirstLayers) = buckets.atMost();
    return elements;
}

/// Where each part of a stage is a bucket, or few. A part and the next one are there at once; a tied head
/// needs the embeddings (parallel/zero/PartGatherer).
struct GatheredParts {
    ByMoment<std::int64_t> passing{}; ///< while the stage computes
    std::int64_t after = 0;           ///< what it leaves, until it computes again
};

GatheredParts gatheredParts(const std::vector<FlatBlock>& blocks, const FlatPlacement& placement,
                            const StageContents& stage, const ModelSpec& model)
{
    std::map<int, std::int64_t> parts;
    for (const FlatBucket& bucket : placement.buckets)
        parts[blocks[bucket.blocks.front()].part] += bucket.size();
    if (model.sharesWordsWithHead() && stage.embeddings && stage.head)
        parts[stage.layers] += parts[-1];
    GatheredParts gathered{.after = std::max(parts.begin()->second, parts.rbegin()->second)};
    const auto withNext = [&](int part) { return parts[part] + parts[part - 1]; };
    const std::int64_t last = withNext(stage.layers - 1);
    ByMoment<std::int64_t>& elements = gathered.passing;
    at(elements, StepMoment::Logits) = stage.head ? withNext(stage.layers) : 0;
    at(elements, StepMoment::HeadWeights) = at(elements, StepMoment::Logits);
    at(elements, StepMoment::FeedForward) = last;
    at(elements, StepMoment::Attention) = last;
    at(elements, StepMoment::FirstLayers) = std::max(withNext(0), withNext(std::min(1, stage.layers - 1)));
    return gathered;
}

StageBuffers stageBuffers(const RunSpec& spec, const StageContents& stage, const StateRules& rules,
                          int tensorRank)
{
    const std::vector<FlatBlock> blocks =
        flatBlocks(spec.model, stage, tensorRank, spec.layout.tensor, spec.layout.expert);
    const FlatPlacement placement = placeFlat(blocks, rules.sharing(spec.layout));
    StageBuffers buffers{placement.count,
                         placement.ownedCount(),
                         placement.trainedCount,
                         placement.trainedOwnedCount(),
                         elementsByOwner(blocks, placement, rules.owners),
                         elementsByOwner(blocks, placement, rules.expertOwners, /*ofExperts=*/true)};
    if (rules.bucketsPass && !rules.reducesOnce)
        buffers.buckets = passingBuckets(spec, stage, blocks, placement);
    if (rules.shardsWeights) {
        const GatheredParts gathered = gatheredParts(blocks, placement, stage, spec.model);
        buffers.gathered = gathered.passing;
        buffers.leftGathered = gathered.after;
    }
    return buffers;
}

void raiseTo(ByMoment<std::int64_t>& largest, const ByMoment<std::int64_t>& elements)
{
    std::ranges::transform(largest, elements, largest.begin(),
                           [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

/// While a stage computes: weights are there for the update of none.
void addTo(ByMoment<std::int64_t>& elements, std::int64_t more)
{
    for (std::size_t moment = 0; moment < kStepMoments; ++moment)
        elements[moment] += moment == static_cast<std::size_t>(StepMoment::Update) ? 0 : more;
}

/// Of all stages of a rank; their buckets pass one stage after the other.
StageBuffers rankBuffers(const RunSpec& spec, const std::vector<int>& layerCounts, const StateRules& rules,
                         const GridCoord& rank)
{
    StageBuffers sum;
    std::int64_t left = 0; // gathered by the stages before
    sum.numbers.resize(static_cast<std::size_t>(rules.owners));
    sum.expertNumbers.resize(static_cast<std::size_t>(rules.expertOwners));
    const int stages = static_cast<int>(layerCounts.size());
    for (int stage = rank.pipeline; stage < stages; stage += spec.layout.pipeline) {
        const int first = std::accumulate(layerCounts.begin(), layerCounts.begin() + stage, 0);
        StageBuffers one = stageBuffers(
            spec, {stage == 0, first, layerCounts[static_cast<std::size_t>(stage)], stage + 1 == stages},
            rules, rank.tensor);
        sum.count += one.count;
        sum.owned += one.owned;
        sum.trained += one.trained;
        sum.trainedOwned += one.trainedOwned;
        std::ranges::transform(sum.numbers, one.numbers, sum.numbers.begin(), std::plus<>());
        std::ranges::transform(sum.expertNumbers, one.expertNumbers, sum.expertNumbers.begin(),
                               std::plus<>());
        raiseTo(sum.buckets, one.buckets);
        addTo(sum.gathered, one.leftGathered);
        addTo(one.gathered, left);
        raiseTo(sum.gathered, one.gathered);
        left += one.leftGathered;
    }
    if (rules.bucketsPass && rules.reducesOnce) // until then all are there
        sum.buckets = {sum.trained, sum.trained, sum.trained, sum.trained, sum.trained, 0};
    return sum;
}

Bytes& bytesAt(MemoryByCategory& bytes, MemoryCategory category)
{
    return bytes[static_cast<std::size_t>(category)];
}

void addPassing(RankStates& states, MemoryCategory category, const ByMoment<std::int64_t>& elements,
                Bytes elementBytes)
{
    for (std::size_t moment = 0; moment < kStepMoments; ++moment)
        bytesAt(states.passing[moment], category) += static_cast<Bytes>(elements[moment]) * elementBytes;
}

void addWeights(RankStates& states, const StageBuffers& buffers, const StateRules& rules)
{
    const Bytes owned = static_cast<Bytes>(buffers.owned);
    if (rules.separateMasters())
        bytesAt(states.kept, rules.masters()) += owned * rules.master;
    if (!rules.shardsWeights) {
        bytesAt(states.kept, MemoryCategory::Weights) += static_cast<Bytes>(buffers.count) * rules.compute;
        return;
    }
    if (rules.offloadsOptimizer && !rules.offloadsParameters)
        bytesAt(states.kept, MemoryCategory::Weights) += owned * rules.compute;
    addPassing(states, MemoryCategory::Weights, buffers.gathered, rules.compute);
    if (rules.offloadsParameters && !rules.offloadsOptimizer) // masters visit for the update
        bytesAt(at(states.passing, StepMoment::Update), MemoryCategory::Weights) =
            static_cast<Bytes>(buffers.trainedOwned) * rules.master;
}

void addGradients(RankStates& states, const StageBuffers& buffers, const StateRules& rules)
{
    const std::int64_t resident = rules.bucketsPass ? buffers.trainedOwned : buffers.trained;
    bytesAt(states.kept, rules.withOptimizer(MemoryCategory::Gradients)) +=
        static_cast<Bytes>(resident) * rules.master;
    addPassing(states, MemoryCategory::Gradients, buffers.buckets, rules.master);
}

RankStates statesOf(const StageBuffers& buffers, const RunSpec& spec, const StateRules& rules,
                    OwnedNumbers owned)
{
    RankStates states{.updated = owned.shared + owned.ofExperts, .updatedOfExperts = owned.ofExperts};
    addWeights(states, buffers, rules);
    addGradients(states, buffers, rules);
    bytesAt(states.kept, rules.withOptimizer(MemoryCategory::Optimizer)) +=
        stateNumbers(spec.optimizer) * static_cast<Bytes>(states.updated) * rules.master;
    return states;
}

/// Of the ranks with these coordinates.
OwnedNumbers numbersOf(const StageBuffers& buffers, const ParallelLayout& layout, int data, int context)
{
    const auto of = [&](const std::vector<std::int64_t>& numbers, int holder) {
        const auto owner = static_cast<std::size_t>(holder * layout.context + context);
        return numbers.empty() ? 0 : numbers[owner % numbers.size()];
    };
    const int copy = layout.expertPlacement == ExpertPlacement::Inner ? data / layout.expert
                                                                      : data % (layout.data / layout.expert);
    return {of(buffers.numbers, data), of(buffers.expertNumbers, copy)};
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
    return statesOf(buffers, spec, rules, numbersOf(buffers, spec.layout, rank.data, rank.context));
}

// The first rank of a tensor-parallel group has the most.
RankStates largestRankStates(const RunSpec& spec, const std::vector<int>& layerCounts, int pipeline)
{
    const StateRules rules(spec);
    const StageBuffers buffers = rankBuffers(spec, layerCounts, rules, {.pipeline = pipeline});
    OwnedNumbers most;
    const int replicas = std::max(rules.owners, rules.expertOwners) == 1 ? 1 : rules.replicas;
    for (int replica = 0; replica < replicas; ++replica) {
        const OwnedNumbers owned =
            numbersOf(buffers, spec.layout, replica / spec.layout.context, replica % spec.layout.context);
        if (owned.shared + owned.ofExperts > most.shared + most.ofExperts)
            most = owned;
    }
    return statesOf(buffers, spec, rules, most);
}

} // namespace trainyard
