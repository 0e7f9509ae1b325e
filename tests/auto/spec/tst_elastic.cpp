#include <QTest>

#include "engine/spec/elastic.h"
#include "engine/spec/validate.h"

using namespace trainyard;

namespace {

/// `data` replicas of `ranksPerReplica` ranks each, in pipelines.
RunSpec specOf(int data, int micro, int accumulation, int ranksPerReplica = 1)
{
    RunSpec spec;
    spec.dataset.path = "/data/wiki";
    spec.layout.data = data;
    spec.layout.pipeline = ranksPerReplica;
    spec.batch = {data * micro * accumulation, micro, accumulation};
    spec.cluster.nodes.assign(1, NodeSpec{"a", spec.layout.worldSize(), 0});
    return spec;
}

QString print(const Result<RunSpec>& fitted)
{
    if (!fitted.ok())
        return "refused";
    return QString("%1 replicas of %2 x %3")
        .arg(fitted->layout.data)
        .arg(fitted->batch.accumulation)
        .arg(fitted->batch.micro);
}

} // namespace

/// The same training on fewer ranks, and on all again.
class TestElastic : public QObject {
    Q_OBJECT

private slots:
    /// Seven replicas would have all experts on each rank, where six have what eight had or half more.
    void keepsTheExpertsOfARank()
    {
        RunSpec spec = specOf(8, 1, 21); // 168 sequences, which 7 divides too
        spec.model.setFamily(ModelFamily::Mixtral);
        spec.model.experts = {.count = 8, .perToken = 2};
        spec.layout.expert = 2;
        const auto fitted = fittedTo(spec, 7);
        QVERIFY2(fitted.ok(), fitted.ok() ? "" : fitted.error().text().c_str());
        QCOMPARE(print(fitted), "6 replicas of 28 x 1");
        QCOMPARE(fitted->layout.expert, 2);
        spec.layout.expert = 8;
        const auto fewer = fittedTo(spec, 7);
        QCOMPARE(print(fewer), "4 replicas of 42 x 1");
        QCOMPARE(fewer->layout.expert, 4);
        const auto most = withReplicas(spec, 7);
        QVERIFY2(most.ok(), most.ok() ? "" : most.error().text().c_str());
        QCOMPARE(most->layout.expert, 1);
    }

    /// What a rank keeps does not grow; without a host all may share one copy.
    void keepsWhatARankHasOfTheStates()
    {
        RunSpec spec = specOf(12, 1, 14);
        spec.memory.zeroStage = 3;
        spec.layout.shard = 4;
        QCOMPARE(withReplicas(spec, 8)->layout.shard, 4);
        QCOMPARE(withReplicas(spec, 6)->layout.shard, 0); // neither 4 nor 5 divides 6
        spec.layout.shard = 2;
        QCOMPARE(withReplicas(spec, 6)->layout.shard, 2);
        QCOMPARE(withReplicas(spec, 3)->layout.shard, 0);
        QCOMPARE(withReplicas(spec, 1)->layout.shard, 0);
    }

    void fitsTheMostReplicasThatKeepTheBatch_data()
    {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("micro");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<int>("ranksPerReplica");
        QTest::addColumn<int>("ranksThere");
        QTest::addColumn<QString>("expected");
        QTest::addRow("all there") << 4 << 8 << 3 << 1 << 4 << "4 replicas of 3 x 8";
        QTest::addRow("one away") << 4 << 8 << 3 << 1 << 3 << "3 replicas of 4 x 8";
        QTest::addRow("half away") << 4 << 8 << 3 << 1 << 2 << "2 replicas of 6 x 8";
        QTest::addRow("one left") << 4 << 8 << 3 << 1 << 1 << "1 replicas of 12 x 8";
        // 32 sequences, 8 at a time: three ranks would need a third of a micro-batch.
        QTest::addRow("one more than divides") << 4 << 8 << 1 << 1 << 3 << "2 replicas of 2 x 8";
        QTest::addRow("half a replica too many") << 4 << 2 << 3 << 2 << 7 << "3 replicas of 4 x 2";
        QTest::addRow("less than one replica") << 4 << 2 << 3 << 2 << 1 << "refused";
        QTest::addRow("nothing left") << 4 << 8 << 3 << 1 << 0 << "refused";
        QTest::addRow("more than asked for") << 2 << 8 << 6 << 1 << 12 << "2 replicas of 6 x 8";
    }
    void fitsTheMostReplicasThatKeepTheBatch()
    {
        QFETCH(int, data);
        QFETCH(int, micro);
        QFETCH(int, accumulation);
        QFETCH(int, ranksPerReplica);
        QFETCH(int, ranksThere);
        const RunSpec spec = specOf(data, micro, accumulation, ranksPerReplica);
        QVERIFY(validate(spec).empty());
        const auto fitted = fittedTo(spec, ranksThere);
        QTEST(print(fitted), "expected");
        if (!fitted.ok()) {
            QCOMPARE(fitted.error().kind, ErrorKind::Refused);
            return;
        }
        QVERIFY(validate(*fitted).empty());
        QVERIFY(fitted->layout.worldSize() <= ranksThere);
    }

    void changesNothingElse()
    {
        RunSpec spec = specOf(4, 2, 3, 2);
        spec.layout.tensor = 2;
        spec.layout.placement = "spread";
        spec.memory.zeroStage = 1;
        spec.launch.restart.elastic = true;
        spec.cluster.nodes = {{"a", 8, 0}, {"b", 8, 0}};
        QVERIFY(validate(spec).empty());
        RunSpec changed = withReplicas(spec, 2).value();
        QCOMPARE(changed.layout.data, 2);
        QCOMPARE(changed.batch.accumulation, 6);
        changed.layout.data = spec.layout.data;
        changed.batch.accumulation = spec.batch.accumulation;
        QVERIFY(changed == spec);
    }

    void leavesHosts_data()
    {
        QTest::addColumn<QStringList>("hosts");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<QString>("reason");
        QTest::addRow("one") << QStringList{"c"} << 2 << "";
        QTest::addRow("two") << QStringList{"c", "b"} << 1 << "";
        QTest::addRow("the head") << QStringList{"b", "a"} << 0 << "a has the run's records";
        QTest::addRow("an unknown one")
            << QStringList{"x"} << 0 << "the run has no host x — its hosts are a, b, c";
    }
    void leavesHosts()
    {
        QFETCH(QStringList, hosts);
        QFETCH(int, replicas);
        QFETCH(QString, reason);
        RunSpec spec;
        spec.dataset.path = "/data";
        spec.cluster.nodes = {{"a", 1, 0}, {"b", 1, 0}, {"c", 1, 0}};
        spec.layout.data = 3;
        spec.batch = {24, 4, 2};
        std::vector<std::string> left;
        for (const QString& host : hosts)
            left.push_back(host.toStdString());
        const auto fewer = withoutHosts(spec, left);
        QCOMPARE(fewer.ok(), reason.isEmpty());
        if (!fewer.ok()) {
            const std::string said = fewer.error().text();
            QVERIFY2(said.find(reason.toStdString()) != std::string::npos, said.c_str());
            return;
        }
        QCOMPARE(fewer->layout.data, replicas);
        QCOMPARE(fewer->batch.global, 24);
        QCOMPARE(fewer->cluster.nodes.size(), std::size_t(3 - hosts.size()));
        QCOMPARE(fewer->cluster.nodes.front().host, std::string("a"));
    }

    void refusesAnotherBatch()
    {
        const auto changed = withReplicas(specOf(4, 8, 1), 3);
        QCOMPARE(changed.error().kind, ErrorKind::Refused);
        QCOMPARE(changed.error().message,
                 std::string("a global batch of 32 cannot be kept by 3 data-parallel ranks with "
                             "micro-batches of 8"));
        QVERIFY(!withReplicas(specOf(4, 8, 1), 0).ok());
        QVERIFY(!withReplicas(specOf(4, 8, 1), -1).ok());
    }

    /// A pipeline of two has nothing to fill it with when more replicas share the micro-batches.
    void refusesWhatIsNotValid()
    {
        const auto changed = withReplicas(specOf(2, 8, 2, 2), 4);
        QVERIFY(!changed.ok());
        QVERIFY2(changed.error().message.find("with 4 data-parallel ranks") == 0,
                 changed.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(TestElastic)
#include "tst_elastic.moc"
