#include "engine/planner/time/state_traffic.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/planner/layout/flat_placement.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/planner/memory/state_rules.h"
#include "engine/planner/pipeline/make_schedule.h"

namespace trainyard {

namespace {

/// The buckets of one stage, and with ZeRO 3 which of them are gathered (parallel/zero/PartGatherer).
class StageTraffic {
public:
    StageTraffic(const RunSpec& spec, const StateRules& rules, const StageContents& stage, int tensorRank)
        : m_spec(spec)
        , m_rules(rules)
        , m_stage(stage)
        , m_blocks(flatBlocks(spec.model, stage, tensorRank, spec.layout.tensor, spec.layout.expert))
        , m_placement(placeFlat(m_blocks, rules.sharing(spec.layout)))
    {
    }

    void addGradients(RankTraffic& traffic) const
    {
        const bool eachPass = m_rules.bucketsPass && !m_rules.reducesOnce;
        const auto passes = static_cast<Bytes>(eachPass ? m_spec.batch.accumulation : 1);
        for (std::size_t i = 0; i < m_placement.trainedBuckets; ++i) {
            const FlatBucket& bucket = m_placement.buckets[i];
            StateTraffic& sum = of(traffic, bucket);
            const bool isZero = m_spec.memory.zeroStage > 0;
            if ((isZero ? bucket.owners : holdersOf(bucket)) > 1)
                sum.reduced += passes * static_cast<Bytes>(bucket.size()) * m_rules.master;
            if (isZero && holdersOf(bucket) > bucket.owners)
                sum.summed += static_cast<Bytes>(bucket.share()) * m_rules.master;
        }
    }

    /// After the update; ZeRO 3 brings them to the passes instead.
    void addUpdatedWeights(RankTraffic& traffic) const
    {
        for (std::size_t i = 0; i < m_placement.trainedBuckets && !m_rules.shardsWeights; ++i)
            addGathered(m_placement.buckets[i], traffic);
    }

    void passForward(RankTraffic& traffic)
    {
        for (int part = firstPart(); part <= lastPart(); ++part)
            enter(part, part + 1, traffic);
    }

    /// No gradient goes back to embeddings that are frozen.
    void passBack(RankTraffic& traffic)
    {
        const int end = m_spec.model.lora.isOn() ? 0 : firstPart();
        for (int part = lastPart(); part >= end; --part)
            enter(part, part - 1, traffic);
    }

private:
    int firstPart() const { return m_stage.embeddings ? -1 : 0; }
    int lastPart() const { return m_stage.head ? m_stage.layers : m_stage.layers - 1; }
    int holdersOf(const FlatBucket& bucket) const
    {
        return bucket.isOfExperts ? m_spec.layout.expertCopies() : m_spec.layout.holders();
    }
    static StateTraffic& of(RankTraffic& traffic, const FlatBucket& bucket)
    {
        return bucket.isOfExperts ? traffic.ofExperts : traffic.others;
    }

    void addGathered(const FlatBucket& bucket, RankTraffic& traffic) const
    {
        if (bucket.owners > 1)
            of(traffic, bucket).gathered += static_cast<Bytes>(bucket.size()) * m_rules.compute;
    }

    bool isOf(const FlatBucket& bucket, int part) const
    {
        const int home = m_blocks[bucket.blocks.front()].part;
        const bool sharesWords = m_spec.model.sharesWordsWithHead() && m_stage.embeddings && m_stage.head;
        return home == part || (sharesWords && home == -1 && part == m_stage.layers);
    }

    /// Whatever is neither of the part nor of the next one goes.
    void enter(int part, int next, RankTraffic& traffic)
    {
        std::set<std::size_t> there;
        for (std::size_t i = 0; i < m_placement.buckets.size() && m_rules.shardsWeights; ++i) {
            const FlatBucket& bucket = m_placement.buckets[i];
            if (!isOf(bucket, part) && !isOf(bucket, next))
                continue;
            there.insert(i);
            if (!m_gathered.contains(i))
                addGathered(bucket, traffic);
        }
        m_gathered = std::move(there);
    }

    const RunSpec& m_spec;
    const StateRules& m_rules;
    const StageContents m_stage;
    const std::vector<FlatBlock> m_blocks;
    const FlatPlacement m_placement;
    std::set<std::size_t> m_gathered;
};

/// A zero-bubble pass for the weights' gradients needs no weights; the first stage does not split its passes.
void execute(const PipelineAction& action, bool isFirstStage, StageTraffic& stage, RankTraffic& traffic)
{
    switch (action.kind) {
    case PipelineActionKind::Forward:
        return stage.passForward(traffic);
    case PipelineActionKind::Backward:
        return stage.passBack(traffic);
    case PipelineActionKind::BackwardInput:
        return isFirstStage ? void() : stage.passBack(traffic);
    case PipelineActionKind::BackwardWeight:
        return isFirstStage ? stage.passBack(traffic) : void();
    default:
        return;
    }
}

} // namespace

RankTraffic stateTraffic(const RunSpec& spec, const std::vector<int>& layerCounts, const GridCoord& rank)
{
    const StateRules rules(spec);
    const auto stages = static_cast<int>(layerCounts.size());
    std::vector<StageTraffic> chunks;
    for (int stage = rank.pipeline; stage < stages; stage += spec.layout.pipeline) {
        const int first = std::accumulate(layerCounts.begin(), layerCounts.begin() + stage, 0);
        const int layers = layerCounts[static_cast<std::size_t>(stage)];
        chunks.emplace_back(spec, rules, StageContents{stage == 0, first, layers, stage + 1 == stages},
                            rank.tensor);
    }
    RankTraffic traffic;
    for (const StageTraffic& chunk : chunks) {
        chunk.addGradients(traffic);
        chunk.addUpdatedWeights(traffic);
    }
    const PipelineSchedule schedule = makeSchedule(spec).value();
    for (const PipelineAction& action : schedule.ranks[static_cast<std::size_t>(rank.pipeline)]) {
        if (action.chunk >= 0)
            execute(action, rank.pipeline == 0 && action.chunk == 0,
                    chunks[static_cast<std::size_t>(action.chunk)], traffic);
    }
    return traffic;
}

} // namespace trainyard
