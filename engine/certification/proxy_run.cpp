#include "engine/certification/proxy_run.h"
#include "engine/spec/phases/phases.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr int kMaxRanks = 16;
constexpr int kMaxPerAxis = 4;
constexpr int kHeadSize = 8;
constexpr int kVocabulary = 97; // a prime: no number of ranks divides it
constexpr int kAdapterRank = 3;
constexpr int kSliceLength = 12; // tokens of a rank; every tensor-parallel degree up to 4 divides it

/// Makes values smaller and remembers which.
class Shrinker {
public:
    void set(int& value, int smaller, const char* field)
    {
        if (smaller == value)
            return;
        m_changes.push_back(fmt::format("{} {} -> {}", field, value, smaller));
        value = smaller;
    }
    void limit(int& value, int most, const char* field) { set(value, std::min(value, most), field); }
    std::vector<std::string> takeChanges() { return std::move(m_changes); }

private:
    std::vector<std::string> m_changes;
};

void shrinkLayout(ParallelLayout& layout, Shrinker& shrinker)
{
    const auto rest = [](int others, int axis) {
        const int room = std::max(2, kMaxRanks / others);
        return axis > 1 ? std::min({axis, kMaxPerAxis, room}) : 1;
    };
    const int least = std::min(layout.data, 2) * std::min(layout.context, 2);
    const int tensor = rest(std::min(layout.pipeline, 2) * least, layout.tensor);
    const int pipeline = rest(tensor * least, layout.pipeline);
    const int context = rest(tensor * pipeline * std::min(layout.data, 2), layout.context);
    const int replicas = rest(tensor * pipeline * context, layout.data);
    const bool sharesExperts = layout.expert > 1;
    const bool hasCopies = layout.expert < layout.data;
    const bool hasShards = layout.shard > 1 && layout.shard < layout.holders();
    const bool hasGroups = (sharesExperts && hasCopies) || hasShards;
    const int data = hasGroups ? kMaxPerAxis : replicas; // two that share, two copies
    shrinker.set(layout.expert, !sharesExperts ? 1 : hasCopies ? 2 : data, "layout.expert");
    if (layout.shard > 0)
        shrinker.set(layout.shard, hasShards ? data * context / 2 : 0, "layout.shard");
    shrinker.set(layout.tensor, tensor, "layout.tensor");
    shrinker.set(layout.pipeline, pipeline, "layout.pipeline");
    shrinker.set(layout.context, context, "layout.context");
    shrinker.set(layout.data, data, "layout.data");
    shrinker.limit(layout.virtualStages, 2, "layout.virtual_stages");
    layout.partition = {};
    layout.bucketSize = std::min<Bytes>(layout.bucketSize, 64 * kKiB); // several of them
}

/// Tokens of a sequence.
int lengthOf(const ParallelLayout& layout)
{
    return kSliceLength * std::max(2, layout.context);
}

void shrinkModel(ModelSpec& model, const ParallelLayout& layout, Shrinker& shrinker)
{
    const int perStage = std::clamp(model.layers / layout.stages(), 1, layout.stages() == 1 ? 4 : 2);
    shrinker.set(model.layers, perStage * layout.stages(), "model.layers");
    const int heads = std::min(model.heads, std::max(2, 2 * layout.tensor)) / layout.tensor * layout.tensor;
    const int hidden = std::min(model.hidden / model.heads, kHeadSize) * heads;
    if (model.keyHeads() < model.heads)
        shrinker.set(model.keyValueHeads, layout.tensor, "model.kv_heads");
    else
        model.keyValueHeads = 0;
    shrinker.set(model.heads, heads, "model.heads");
    shrinker.set(model.hidden, hidden, "model.hidden");
    shrinker.limit(model.headWidth, kHeadSize, "model.head_width");
    shrinker.limit(model.window, kSliceLength / 2, "model.window");
    shrinker.limit(model.intermediate, 2 * hidden + 2, "model.intermediate");
    shrinker.limit(model.experts.width, 2 * hidden + 2, "model.experts.width");
    const int experts = std::min(model.experts.count, 2 * model.experts.perToken);
    shrinker.set(model.experts.count, (experts + layout.expert - 1) / layout.expert * layout.expert,
                 "model.experts.count");
    shrinker.limit(model.vocabulary, kVocabulary, "model.vocabulary");
    shrinker.limit(model.task.labels, kVocabulary, "task.labels");
    shrinker.limit(model.lora.rank, kAdapterRank, "lora.rank");
    shrinker.limit(model.maxPositions, lengthOf(layout), "model.max_positions");
}

void shrinkBatch(BatchSpec& batch, const ParallelLayout& layout, Shrinker& shrinker)
{
    shrinker.limit(batch.micro, 2, "batch.micro");
    const int enough = layout.pipeline > 1 ? 2 * layout.pipeline : 2;
    const bool inRounds = layout.virtualStages > 1; // of as many micro-batches as there are stages
    const int most = std::min(batch.accumulation, enough);
    shrinker.set(batch.accumulation, inRounds ? std::max(1, most / layout.pipeline) * layout.pipeline : most,
                 "batch.accumulation");
    batch.global = batch.micro * batch.accumulation * layout.data;
    shrinker.set(batch.ramp.start, 0, "batch.ramp.start");
    batch.ramp = {};
}

} // namespace

ProxyRun proxyOf(const RunSpec& spec, int steps)
{
    ProxyRun proxy{specOfPhase(spec, 0), {}, {}};
    Shrinker shrinker;
    shrinkLayout(proxy.spec.layout, shrinker);
    shrinkModel(proxy.spec.model, proxy.spec.layout, shrinker);
    shrinkBatch(proxy.spec.batch, proxy.spec.layout, shrinker);
    proxy.spec.launch.steps = steps;
    OptimizerSpec& optimizer = proxy.spec.optimizer;
    optimizer.warmupSteps = std::min(optimizer.warmupSteps, 1);
    optimizer.decaySteps = std::min(optimizer.decaySteps, std::max(steps - optimizer.warmupSteps, 0));
    proxy.spec.cluster.nodes = {NodeSpec{.slotCount = proxy.spec.layout.worldSize()}};
    proxy.shape = {std::min(lengthOf(proxy.spec.layout), proxy.spec.model.maxPositions), 4};
    proxy.changes = shrinker.takeChanges();
    return proxy;
}

RunSpec onOneRank(RunSpec spec)
{
    spec.batch.accumulation *= spec.layout.data;
    spec.batch.packing = false;
    spec.layout = {};
    spec.memory = {};
    spec.cluster.nodes = {NodeSpec{}};
    return spec;
}

} // namespace trainyard
