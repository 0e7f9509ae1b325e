#include <algorithm>

#include <QTest>

#include "engine/comm/process_group.h"
#include "engine/comm/process_groups.h"
#include "engine/comm/threads_transport.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/memory/rank_states.h"
#include "engine/spec/validate.h"
#include "engine/training/replica.h"

using namespace trainyard;

namespace {

struct Case {
    const char* name;
    ParallelLayout layout;
    MemorySpec memory = {};
    ComputeType compute = ComputeType::Float32;
    OptimizerKind optimizer = OptimizerKind::AdamW;
};

constexpr auto kStates = {MemoryCategory::Weights, MemoryCategory::Gradients, MemoryCategory::Optimizer,
                          MemoryCategory::Host};

std::vector<Case> cases()
{
    using Schedule = PipelineScheduleKind;
    const MemorySpec optimizer{.offloadOptimizer = true};
    const ParallelLayout interleaved{
        .data = 2, .pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2};
    return {
        {"one rank", {}},
        {"one rank, bfloat16", {}, {}, ComputeType::BFloat16},
        {"data 3", {.data = 3}},
        {"data 3, ZeRO 1", {.data = 3}, {.zeroStage = 1}},
        {"data 3, ZeRO 1, bfloat16", {.data = 3}, {.zeroStage = 1}, ComputeType::BFloat16},
        {"data 3, ZeRO 2, float16", {.data = 3}, {.zeroStage = 2}, ComputeType::Float16},
        {"data 3, ZeRO 3", {.data = 3}, {.zeroStage = 3}},
        {"data 3, ZeRO 3, SGD", {.data = 3}, {.zeroStage = 3}, ComputeType::BFloat16, OptimizerKind::Sgd},
        {"tensor 3", {.tensor = 3}, {}, ComputeType::Float64},
        {"tensor 3, data 2, ZeRO 1", {.data = 2, .tensor = 3}, {.zeroStage = 1}, ComputeType::BFloat16},
        {"tensor 2, data 2, ZeRO 2", {.data = 2, .tensor = 2}, {.zeroStage = 2}, ComputeType::BFloat16},
        {"tensor 2, data 2, ZeRO 3", {.data = 2, .tensor = 2}, {.zeroStage = 3}, ComputeType::BFloat16},
        {"data 2, context 2, ZeRO 1", {.data = 2, .context = 2}, {.zeroStage = 1}, ComputeType::BFloat16},
        {"tensor 2, context 3, ZeRO 3", {.tensor = 2, .context = 3}, {.zeroStage = 3}, ComputeType::BFloat16},
        {"1f1b 3", {.pipeline = 3}, {}, ComputeType::BFloat16},
        {"1f1b 3 by parameters", {.pipeline = 3, .partition = {PartitionKind::Parameters, {}}}},
        {"interleaved 2 x 2, data 2, ZeRO 1", interleaved, {.zeroStage = 1}, ComputeType::BFloat16},
        {"tensor 2, 1f1b 2, data 2, ZeRO 1",
         {.data = 2, .tensor = 2, .pipeline = 2},
         {.zeroStage = 1},
         ComputeType::Float16},
        {"data 6 shard 3, ZeRO 1", {.data = 6, .shard = 3}, {.zeroStage = 1}, ComputeType::BFloat16},
        {"data 3, context 2, shard 2, ZeRO 3", {.data = 3, .context = 2, .shard = 2}, {.zeroStage = 3}},
        {"data 4 shard 2, ZeRO 2, optimizer offloaded",
         {.data = 4, .shard = 2},
         {.zeroStage = 2, .offloadOptimizer = true},
         ComputeType::BFloat16},
        {"data 2 shard 1, ZeRO 3", {.data = 2, .shard = 1}, {.zeroStage = 3}, ComputeType::BFloat16},
        {"data 2, 1f1b 3, ZeRO 2", {.data = 2, .pipeline = 3}, {.zeroStage = 2}, ComputeType::BFloat16},
        {"interleaved 2 x 2, data 2, ZeRO 3", interleaved, {.zeroStage = 3}, ComputeType::BFloat16},
        {"tensor 2, 1f1b 2, data 4 shard 2, ZeRO 3",
         {.data = 4, .tensor = 2, .pipeline = 2, .shard = 2},
         {.zeroStage = 3}},
        {"one rank, optimizer offloaded", {}, optimizer},
        {"one rank, all offloaded",
         {},
         {.zeroStage = 3, .offloadOptimizer = true, .offloadParameters = true},
         ComputeType::BFloat16},
        {"data 3, ZeRO 2, optimizer offloaded",
         {.data = 3},
         {.zeroStage = 2, .offloadOptimizer = true},
         ComputeType::BFloat16},
        {"data 3, ZeRO 3, optimizer offloaded",
         {.data = 3},
         {.zeroStage = 3, .offloadOptimizer = true},
         ComputeType::BFloat16},
        {"data 3, ZeRO 3, parameters offloaded",
         {.data = 3},
         {.zeroStage = 3, .offloadParameters = true},
         ComputeType::BFloat16},
        {"tensor 2, data 2, ZeRO 3, all offloaded",
         {.data = 2, .tensor = 2},
         {.zeroStage = 3, .offloadOptimizer = true, .offloadParameters = true}},
        {"interleaved 2 x 2, data 2, optimizer offloaded", interleaved, optimizer, ComputeType::Float16},
    };
}

/// Of a mixture of experts that ranks share.
std::vector<Case> casesWithExperts()
{
    const ParallelLayout outer{.data = 4, .expert = 2, .expertPlacement = ExpertPlacement::Outer};
    return {
        {"data 2, expert 2", {.data = 2, .expert = 2}, {}},
        {"data 4, expert 2, tensor 2, ZeRO 1", {.data = 4, .tensor = 2, .expert = 2}, {.zeroStage = 1}},
        {"data 4, expert 2 outer, ZeRO 2", outer, {.zeroStage = 2}, ComputeType::BFloat16},
        {"data 4, expert 2 outer, ZeRO 3, all offloaded",
         outer,
         {.zeroStage = 3, .offloadOptimizer = true, .offloadParameters = true},
         ComputeType::BFloat16},
        {"data 2, expert 2, pipeline 2, ZeRO 1", {.data = 2, .pipeline = 2, .expert = 2}, {.zeroStage = 1}},
        {"data 4 shard 2, expert 2, ZeRO 3", {.data = 4, .expert = 2, .shard = 2}, {.zeroStage = 3}},
        {"data 4 shard 2, expert 2 outer, ZeRO 1",
         {.data = 4, .expert = 2, .expertPlacement = ExpertPlacement::Outer, .shard = 2},
         {.zeroStage = 1},
         ComputeType::BFloat16},
    };
}

/// No number of ranks divides these dimensions, the heads apart.
ModelSpec unevenModel(ModelFamily family)
{
    ModelSpec model;
    model.setFamily(family);
    model.layers = 5;
    model.hidden = 42;
    model.heads = 6;
    model.intermediate = 65;
    model.vocabulary = 97;
    model.maxPositions = 33;
    if (family == ModelFamily::Gpt)
        model.activation = Activation::Swiglu;
    if (family == ModelFamily::Mixtral) {
        model.hidden = 60; // heads of even width, for rotary positions
        model.experts = {.count = 6, .perToken = 2, .width = 31, .every = 2};
    }
    return model;
}

/// All weights but those of the adapters are frozen.
LoraSpec adaptersOf(ModelFamily family)
{
    if (family == ModelFamily::Gpt)
        return {.rank = 5, .targets = {"c_attn", "c_gate", "c_proj"}};
    return {.rank = 5, .targets = {"query", "value", "output.dense"}};
}

RunSpec specOf(const Case& asked, ModelFamily family, bool hasAdapters)
{
    RunSpec spec;
    spec.model = unevenModel(family);
    if (hasAdapters)
        spec.model.lora = adaptersOf(family);
    spec.layout = asked.layout;
    spec.layout.bucketSize = 64 * kKiB;
    spec.memory = asked.memory;
    spec.precision.compute = asked.compute;
    spec.optimizer.kind = asked.optimizer;
    spec.batch = {12 * spec.layout.data, 2, 6};
    spec.cluster.nodes.front().slotCount = spec.layout.worldSize();
    spec.dataset.path = "/unused";
    return spec;
}

MemoryByCategory difference(const MemorySnapshot& after, const MemorySnapshot& before)
{
    MemoryByCategory bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = after.bytes[i] - before.bytes[i];
    return bytes;
}

/// What each rank's replica allocates and keeps, by rank. They are made one after another: threads share the
/// ledger.
std::vector<MemoryByCategory> measuredStates(const RunSpec& spec)
{
    AccountingAllocator& memory = AccountingAllocator::install();
    std::vector<MemoryByCategory> measured(std::size_t(spec.layout.worldSize()));
    runRanksAsThreads(spec.layout.worldSize(), [&](GroupMaker& maker) {
        const auto world = maker.makeWorld();
        const auto groups = makeProcessGroups(maker, *world, RankGrid::create(spec.layout).value());
        std::unique_ptr<Replica> replica;
        for (int turn = 0; turn < world->size().value; ++turn) {
            world->barrier();
            if (turn != world->rank().value)
                continue;
            const MemorySnapshot before = memory.ledger().current();
            replica = Replica::create(spec, {}, groups).value();
            measured[std::size_t(turn)] = difference(memory.ledger().current(), before);
        }
        world->barrier();
    });
    return measured;
}

} // namespace

/// The planner's bytes of weights, gradients and optimizer state against those that every rank allocates,
/// padding included.
class TestPlannedStates : public QObject {
    Q_OBJECT

private slots:
    void areWhatEveryRankAllocates_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<int>("family");
        QTest::addColumn<bool>("hasAdapters");
        for (std::size_t i = 0; i < cases().size(); ++i) {
            for (const bool hasAdapters : {false, true}) {
                const char* adapters = hasAdapters ? ", adapters" : "";
                QTest::addRow("BERT, %s%s", cases()[i].name, adapters)
                    << int(i) << int(ModelFamily::Bert) << hasAdapters;
                QTest::addRow("GPT, %s%s", cases()[i].name, adapters)
                    << int(i) << int(ModelFamily::Gpt) << hasAdapters;
            }
        }
        for (std::size_t i = 0; i < casesWithExperts().size(); ++i)
            QTest::addRow("Mixtral, %s", casesWithExperts()[i].name)
                << int(i) << int(ModelFamily::Mixtral) << false;
    }
    void areWhatEveryRankAllocates()
    {
        QFETCH(int, number);
        QFETCH(int, family);
        QFETCH(bool, hasAdapters);
        const bool hasExperts = ModelFamily(family) == ModelFamily::Mixtral;
        const RunSpec spec = specOf((hasExperts ? casesWithExperts() : cases())[std::size_t(number)],
                                    ModelFamily(family), hasAdapters);
        for (const Diagnostic& problem : validate(spec))
            qInfo("%s: %s", problem.path.c_str(), problem.message.c_str());
        QVERIFY(validate(spec).empty());
        const std::vector<MemoryByCategory> measured = measuredStates(spec);
        const std::vector<int> layerCounts = layersPerStage(spec, {}).value();
        const RankGrid grid = RankGrid::create(spec.layout).value();
        for (int rank = 0; rank < spec.layout.worldSize(); ++rank) {
            const RankStates planned = rankStates(spec, layerCounts, grid.coordOf(Rank{rank}));
            for (const MemoryCategory category : kStates)
                QCOMPARE(measured[std::size_t(rank)][std::size_t(category)],
                         planned.kept[std::size_t(category)]);
        }
        for (int pipeline = 0; pipeline < spec.layout.pipeline; ++pipeline)
            QVERIFY(isPlannedForTheLargest(spec, layerCounts, measured, pipeline));
    }

private:
    /// The rank that holds most of one pipeline rank keeps so much, and no other one of it keeps more.
    static bool isPlannedForTheLargest(const RunSpec& spec, const std::vector<int>& layerCounts,
                                       const std::vector<MemoryByCategory>& measured, int pipeline)
    {
        const RankGrid grid = RankGrid::create(spec.layout).value();
        const auto kept = [](const MemoryByCategory& bytes) {
            Bytes sum = 0;
            for (const MemoryCategory category : kStates)
                sum += bytes[std::size_t(category)];
            return sum;
        };
        Bytes largest = 0;
        for (int rank = 0; rank < spec.layout.worldSize(); ++rank) {
            if (grid.coordOf(Rank{rank}).pipeline == pipeline)
                largest = std::max(largest, kept(measured[std::size_t(rank)]));
        }
        return largest == kept(largestRankStates(spec, layerCounts, pipeline).kept);
    }
};

QTEST_APPLESS_MAIN(TestPlannedStates)
#include "tst_planned_states.moc"
