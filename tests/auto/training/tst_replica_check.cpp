#include <mutex>

#include <QTest>

#include "engine/comm/process_group.h"
#include "engine/comm/process_groups.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/training/replica.h"
#include "engine/training/replica_check.h"
#include "engine/training/replica_threads.h"

using namespace trainyard;

namespace {

RunSpec checkedSpec(const ParallelLayout& layout, int zeroStage)
{
    RunSpec spec;
    spec.model.layers = 2;
    spec.model.hidden = 16;
    spec.model.heads = 2;
    spec.model.intermediate = 32;
    spec.model.vocabulary = 97;
    spec.model.maxPositions = 16;
    if (layout.expert > 1) {
        spec.model.setFamily(ModelFamily::Mixtral);
        spec.model.experts = {.count = 4, .perToken = 2, .width = 12};
    }
    spec.layout = layout;
    spec.memory.zeroStage = zeroStage;
    spec.precision.compute = ComputeType::BFloat16;
    return spec;
}

/// One bit of one number, of what the rank owns or of what it multiplies with.
enum class Damage { None, Master, Working };

void damage(Replica& replica, Damage what)
{
    ParameterStore& store = replica.chunks().front()->parameters();
    if (what == Damage::Master)
        store.owned().back().master.view({-1})[0] += 1e-6;
    if (what == Damage::Working)
        store.weights().whole()[5] += 0.5;
}

/// What every rank finds, once rank `damaged` has been damaged.
std::vector<int> driftedAfter(const RunSpec& spec, int damaged, Damage what)
{
    std::vector<std::vector<int>> lists(std::size_t(spec.layout.worldSize()));
    const Status status =
        runReplicasAsThreads(spec, {16, 2}, [&](const ProcessGroups& groups, Replica& replica) {
            const int rank = groups.world->rank().value;
            if (rank == damaged)
                damage(replica, what);
            lists[std::size_t(rank)] = driftedRanks(groups, replica);
            return Status();
        });
    for (const std::vector<int>& list : lists) {
        if (!status.ok() || list != lists.front())
            return {-1};
    }
    return lists.front();
}

} // namespace

/// Ranks that should have the same weights and do not.
class TestReplicaCheck : public QObject {
    Q_OBJECT

private slots:
    void namesTheRankThatDiffers_data()
    {
        QTest::addColumn<ParallelLayout>("layout");
        QTest::addColumn<int>("zeroStage");
        QTest::addColumn<Damage>("what");
        QTest::addColumn<std::vector<int>>("ranks");
        const auto row = [](const char* name, const ParallelLayout& layout, int stage, Damage what,
                            const std::vector<int>& ranks) {
            QTest::addRow("%s", name) << layout << stage << what << ranks;
        };
        row("data 3", {.data = 3}, 0, Damage::Master, {2});
        row("data 3, a working weight", {.data = 3}, 1, Damage::Working, {2});
        row("data 4, tensor 2", {.data = 4, .tensor = 2}, 0, Damage::Master, {2});
        row("two ranks", {.data = 2, .tensor = 2}, 0, Damage::Master,
            {0, 2}); // which one is right nobody knows
        row("ZeRO 3, which has one copy", {.data = 3}, 3, Damage::Master, {});
        row("ZeRO 3 of three copies", {.data = 6, .shard = 2}, 3, Damage::Master, {2});
        row("ZeRO 1 of three copies", {.data = 6, .shard = 2}, 1, Damage::Master, {2});
        row("experts", {.data = 6, .expert = 2}, 0, Damage::Master, {2});
        row("nothing", {.data = 3}, 1, Damage::None, {});
        row("nothing, experts in pipelines", {.data = 2, .pipeline = 2, .expert = 2}, 1, Damage::None, {});
        row("nothing, one rank", {}, 0, Damage::None, {});
    }
    void namesTheRankThatDiffers()
    {
        QFETCH(ParallelLayout, layout);
        QFETCH(int, zeroStage);
        QFETCH(Damage, what);
        QFETCH(std::vector<int>, ranks);
        QCOMPARE(driftedAfter(checkedSpec(layout, zeroStage), 2, what), ranks);
    }

    void isDueAtOnceAndNowAndThen()
    {
        QVERIFY(isReplicaCheckDue(Step{1}) && isReplicaCheckDue(Step{100}) && isReplicaCheckDue(Step{700}));
        QVERIFY(!isReplicaCheckDue(Step{2}) && !isReplicaCheckDue(Step{101}));
    }
};

QTEST_APPLESS_MAIN(TestReplicaCheck)
#include "tst_replica_check.moc"
