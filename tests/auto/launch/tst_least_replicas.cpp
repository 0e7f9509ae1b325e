#include <QTest>

#include "engine/spec/elastic.h"
#include "remote/launch/judge_spec.h"

using namespace trainyard;

namespace {

/// Eight ranks, one on each host.
RunSpec eightReplicas(int zeroStage)
{
    RunSpec spec;
    spec.dataset.path = "/data/wiki";
    spec.model.layers = 12; // BERT base
    spec.model.hidden = 768;
    spec.model.heads = 12;
    spec.model.intermediate = 3072;
    spec.layout.data = 8;
    spec.batch = {64, 1, 8};
    spec.memory.zeroStage = zeroStage;
    spec.launch.restart.elastic = true;
    spec.cluster.nodes.clear();
    for (int host = 1; host <= 8; ++host)
        spec.cluster.nodes.push_back({"node" + std::to_string(host), 1, 0});
    return spec;
}

DataSetManifest shortRows()
{
    DataSetManifest data;
    data.sequenceLength = 16;
    data.maxPredictions = 2;
    data.vocabularySize = RunSpec().model.vocabulary;
    return data;
}

int leastWith(Bytes memory, int zeroStage)
{
    return leastReplicas(eightReplicas(zeroStage), shortRows(),
                         std::vector<NodeMemory>(8, NodeMemory(memory)));
}

} // namespace

/// How far an elastic run may shrink before its ranks hold more than their hosts have memory for.
class TestLeastReplicas : public QObject {
    Q_OBJECT

private slots:
    void everyReplicaHoldsAllWithoutZero() { QCOMPARE(leastWith(64 * kGiB, 0), 1); }

    /// 110 million parameters: 16 bytes each are 1.8 GB, of which ZeRO 3 leaves each of n ranks an n-th part.
    void zeroStatesGrowWithFewerRanks()
    {
        QCOMPARE(leastWith(64 * kGiB, 3), 1);
        const int least = leastWith(1 * kGiB, 3);
        QVERIFY2(least > 1 && least < 8, std::to_string(least).c_str());
    }

    /// Exactly as far as a launch of the smaller world would be accepted.
    void agreesWithTheLaunchOfTheSmallerWorld()
    {
        const std::vector<NodeMemory> memory(8, NodeMemory(1 * kGiB));
        const RunSpec spec = eightReplicas(3);
        const int least = leastReplicas(spec, shortRows(), memory);
        for (int replicas = 8; replicas > 0; --replicas) {
            if (const auto smaller = withReplicas(spec, replicas); smaller.ok())
                QCOMPARE(judgeSpec(*smaller, shortRows(), memory).ok(), replicas >= least);
        }
    }

    /// A large host may be the one that is lost, and its stage then goes to a small one.
    void countsEveryRankOnEveryHost()
    {
        RunSpec spec = eightReplicas(0);
        spec.layout = {.data = 4, .pipeline = 2, .placement = "PDT"};
        spec.layout.partition = {PartitionKind::ByHand, {11, 1}};
        spec.batch = {64, 1, 16};
        std::vector<NodeMemory> memory(8, NodeMemory(64 * kGiB));
        QCOMPARE(leastReplicas(spec, shortRows(), memory), 1);
        std::fill(memory.begin() + 4, memory.end(), NodeMemory(1 * kGiB)); // 11 layers take 1.2 GiB
        const auto judged = judgeSpec(spec, shortRows(), memory);
        QVERIFY2(judged.ok(), judged.ok() ? "" : judged.error().text().c_str());
        QCOMPARE(leastReplicas(spec, shortRows(), memory), 4);
    }

    void nothingIsForbiddenWhereTheMemoryIsUnknown()
    {
        QCOMPARE(leastReplicas(eightReplicas(3), shortRows(), std::vector<NodeMemory>(8)), 1);
    }
};

QTEST_APPLESS_MAIN(TestLeastReplicas)
#include "tst_least_replicas.moc"
