#include <atomic>
#include <mutex>

#include <torch/autograd.h>

#include "engine/comm/group_maker.h"
#include "engine/comm/process_group.h"
#include "engine/comm/process_groups.h"
#include "engine/comm/threads_transport.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/parallel/data/gradient_reducer.h"

#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace {

/// Sizes that fit no bucket and no alignment.
std::vector<ParameterSpec> someParameters()
{
    std::vector<ParameterSpec> specs;
    const std::int64_t sizes[] = {97, 1000, 3, 512, 4096, 33, 700, 5};
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        ParameterSpec spec;
        spec.name = "tensor" + std::to_string(i);
        spec.shape = {sizes[i]};
        specs.push_back(spec);
    }
    return specs;
}

/// A loss whose gradients differ by rank and micro-batch; `used` says which parameters take part.
at::Tensor lossOf(const ParameterStore& store, double factor, const std::function<bool(std::size_t)>& used)
{
    at::Tensor loss = at::zeros({}, at::kDouble);
    for (std::size_t i = 0; i < store.parameters().size(); ++i) {
        if (used(i))
            loss = loss + (store.leaf(store.parameters()[i].spec.name).pow(2) * factor * double(i + 1)).sum();
    }
    return loss;
}

bool all(std::size_t)
{
    return true;
}

Sharding bucketsOf(std::int64_t bucketElements)
{
    return {.bucketElements = bucketElements};
}

/// Two micro-batches on this rank; what the reducer made of them.
at::Tensor reducedGradients(ProcessGroup& group, std::int64_t bucketElements,
                            std::size_t* overlapped = nullptr)
{
    ParameterStore store(someParameters(), ComputeType::Float64, bucketsOf(bucketElements));
    store.initialize(7, 1.0);
    GradientReducer reducer(store, group);
    const double rank = group.rank().value;
    store.beginGradients();
    lossOf(store, 0.3 + rank, all).backward();
    reducer.arm();
    lossOf(store, 1.7 - rank, all).backward();
    reducer.finish();
    if (overlapped)
        *overlapped = reducer.overlappedBuckets();
    return store.flatGradients().clone();
}

/// The same without buckets: one reduction after the backward passes.
at::Tensor plainGradients(ProcessGroup& group, const Sharding& sharding)
{
    ParameterStore store(someParameters(), ComputeType::Float64, sharding);
    store.initialize(7, 1.0);
    const double rank = group.rank().value;
    store.beginGradients();
    lossOf(store, 0.3 + rank, all).backward();
    lossOf(store, 1.7 - rank, all).backward();
    const at::Tensor& flat = store.flatGradients();
    group.allReduce(std::span<double>(flat.data_ptr<double>(), static_cast<std::size_t>(flat.numel())));
    return flat.clone();
}

} // namespace

class TestGradientReducer : public QObject {
    Q_OBJECT

private slots:
    void givesExactlyThePlainReduction_data() { addBucketSizes(); }
    void givesExactlyThePlainReduction()
    {
        QFETCH(int, elements);
        std::atomic<int> equal = 0;
        runAsThreads(3, [&](ProcessGroup& group) {
            const at::Tensor bucketed = reducedGradients(group, elements);
            equal += bucketed.equal(plainGradients(group, bucketsOf(elements)));
        });
        QCOMPARE(equal.load(), 3);
    }

    /// Four ranks in two groups of owners: each has the sum over all four of its part.
    void addsUpOverTheCopiesOnceAStep_data() { addBucketSizes(); }
    void addsUpOverTheCopiesOnceAStep()
    {
        QFETCH(int, elements);
        const RankGrid grid = RankGrid::create({.data = 4, .shard = 2}).value();
        for (const GradientResidence residence : {GradientResidence::Whole, GradientResidence::Sharded}) {
            std::atomic<int> equal = 0;
            runRanksAsThreads(4, [&](GroupMaker& maker) {
                const auto world = maker.makeWorld();
                const ProcessGroups groups = makeProcessGroups(maker, *world, grid);
                const Holders holders = groups.holders(/*zero=*/true);
                Sharding sharding = bucketsOf(elements);
                sharding.owner = holders.of(false).ownerShare();
                QCOMPARE(sharding.owner, (Share{world->rank().value % 2, 2}));
                ParameterStore store(someParameters(), ComputeType::Float64, sharding, residence);
                store.initialize(7, 1.0);
                GradientReducer reducer(store, holders, {});
                store.beginGradients();
                const double rank = world->rank().value;
                const double factors[] = {0.3 + rank, 1.7 - rank};
                for (std::size_t micro = 0; micro < 2; ++micro) {
                    const bool reduces = reducer.reducesAfter(micro, 2);
                    if (reduces)
                        reducer.arm(micro == 1 ? GradientReducer::Completes::Step
                                               : GradientReducer::Completes::Pass);
                    lossOf(store, factors[micro], all).backward();
                    if (reduces)
                        reducer.finish();
                }
                const at::Tensor expected = plainGradients(*world, sharding);
                bool same = true;
                for (const OwnedTensor& owned : store.owned())
                    same &= at::allclose(owned.gradient,
                                         expected.narrow(0, owned.piece.offset, owned.piece.count), 1e-14);
                equal += same;
            });
            QCOMPARE(equal.load(), 4);
        }
    }

    void leavesEveryOwnerTheSumOfItsPart_data() { addBucketSizes(); }
    void leavesEveryOwnerTheSumOfItsPart()
    {
        QFETCH(int, elements);
        using enum GradientResidence;
        for (const auto& [residence, offloads] :
             {std::pair{Whole, false}, {Whole, true}, {Sharded, false}, {Sharded, true}}) {
            const Placement placement{.offloadsOptimizer = offloads};
            std::atomic<int> equal = 0;
            runAsThreads(3, [&](ProcessGroup& group) {
                Sharding sharding = bucketsOf(elements);
                sharding.owner = {group.rank().value, 3};
                ParameterStore store(someParameters(), ComputeType::Float64, sharding, residence,
                                     WeightResidence::Whole, placement);
                store.initialize(7, 1.0);
                GradientReducer reducer(store, group);
                store.beginGradients();
                const double rank = group.rank().value;
                const double factors[] = {0.3 + rank, 1.7 - rank};
                for (std::size_t micro = 0; micro < 2; ++micro) {
                    const bool reduces = reducer.reducesAfter(micro, 2);
                    if (reduces)
                        reducer.arm(micro == 1 ? GradientReducer::Completes::Step
                                               : GradientReducer::Completes::Pass);
                    lossOf(store, factors[micro], all).backward();
                    if (reduces)
                        reducer.finish();
                }
                const at::Tensor expected = plainGradients(group, sharding);
                bool same = true;
                for (const OwnedTensor& owned : store.owned())
                    same &= at::allclose(owned.gradient,
                                         expected.narrow(0, owned.piece.offset, owned.piece.count), 1e-14);
                equal += same;
            });
            QCOMPARE(equal.load(), 3);
        }
    }

    void overlapsWithTheBackwardPass()
    {
        runAsThreads(2, [&](ProcessGroup& group) {
            std::size_t overlapped = 0;
            reducedGradients(group, 1, &overlapped);
            if (overlapped != someParameters().size())
                throw std::runtime_error("only " + std::to_string(overlapped) + " buckets overlapped");
        });
    }

    void keepsTheOrderWhenRanksUseOtherParameters()
    {
        // Rank r leaves out parameter r: its bucket starts late there, and nobody's collectives mix.
        std::vector<at::Tensor> results(2);
        runAsThreads(2, [&](ProcessGroup& group) {
            ParameterStore store(someParameters(), ComputeType::Float64, bucketsOf(1));
            store.initialize(7, 1.0);
            GradientReducer reducer(store, group);
            const auto rank = static_cast<std::size_t>(group.rank().value);
            store.beginGradients();
            reducer.arm();
            lossOf(store, 1.0, [rank](std::size_t i) { return i != rank; }).backward();
            reducer.finish();
            results[rank] = store.flatGradients().clone();
        });
        QVERIFY(results[0].equal(results[1]));
        ParameterStore store(someParameters(), ComputeType::Float64, bucketsOf(1));
        store.initialize(7, 1.0);
        // Both ranks used parameter 5, one rank used parameter 0.
        const auto sum = [&](std::size_t i, double ranks) {
            const Parameter& parameter = store.parameters()[i];
            const at::Tensor expected = parameter.master * (2.0 * ranks * double(i + 1));
            return at::allclose(results[0].narrow(0, parameter.offset, parameter.count), expected, 1e-14);
        };
        QVERIFY(sum(5, 2) && sum(0, 1) && sum(1, 1));
    }

    void staysQuietUntilArmed()
    {
        runAsThreads(2, [&](ProcessGroup& group) {
            ParameterStore store(someParameters(), ComputeType::Float64, bucketsOf(1));
            GradientReducer reducer(store, group);
            // Only rank 0 runs this backward pass: a collective here would hang or mix with the barrier.
            if (group.isFirst())
                lossOf(store, 1.0, all).backward();
            group.barrier();
        });
    }

private:
    static void addBucketSizes()
    {
        QTest::addColumn<int>("elements");
        for (const int elements : {1, 500, 2500, 0})
            QTest::addRow("buckets of %d", elements) << elements;
    }
};

QTEST_APPLESS_MAIN(TestGradientReducer)
#include "tst_gradient_reducer.moc"
