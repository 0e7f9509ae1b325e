#include <QTest>

#include "remote/launch/inventory.h"
#include "remote/launch/judge_limits.h"

using namespace trainyard;

namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

RunSpec bertBase(int ranks)
{
    RunSpec spec;
    spec.model.layers = 12;
    spec.model.hidden = 768;
    spec.model.heads = 12;
    spec.model.intermediate = 3072;
    spec.layout.data = ranks;
    spec.launch.threadsPerRank = 4;
    spec.checkpoint.keepLast = 2;
    return spec;
}

HostFacts host(const QJsonObject& limits, const QJsonObject& disk = {})
{
    return readFacts("gpu-03", {{"host", "node3"}, {"limits", limits}, {"disk", disk}}, {});
}

QString refusal(const QJsonObject& limits, int ranks)
{
    const Status judged = judgeLimits(bertBase(ranks), {host(limits)}, {ranks});
    return judged.ok() ? QString() : QString::fromStdString(judged.error().text());
}

QJsonObject disk(double free, const QJsonValue& quota = {})
{
    return {{"path", "/home/a/.trainyard"},
            {"free", free},
            {"inodes_total", 1e6},
            {"inodes_free", 1e6},
            {"quota", quota}};
}

QString remarks(const QJsonObject& disk)
{
    return storageRemarks(bertBase(8), host({}, disk)).join('\n');
}

} // namespace

/// Limits of a host against what the plan will take of it.
class TestJudgeLimits : public QObject {
    Q_OBJECT

private slots:
    void unlimitedHostsTakeEveryRun()
    {
        QCOMPARE(refusal({{"processes", -1}, {"tasks", -1}, {"nofile_hard", -1}}, 512), QString());
        QCOMPARE(refusal({}, 512), QString()); // nothing is known
    }

    void countsTheThreadsOfAllRanks()
    {
        const auto need = footprintOf(bertBase(8), 8).threads;
        QVERIFY(need >= 8 * 4);
        QCOMPARE(refusal({{"processes", 1000 + need}, {"processes_used", 1000}}, 8), QString());
        const QString text = refusal({{"processes", 1000 + need - 1}, {"processes_used", 1000}}, 8);
        QVERIFY2(text.contains("gpu-03") && text.contains(QString::number(need - 1)) &&
                     text.contains("ulimit -u"),
                 qPrintable(text));
        QCOMPARE(refusal({{"processes", 1}, {"processes_hard", 1000 + need}, {"processes_used", 1000}}, 8),
                 QString()); // the soft limit can be raised
        QVERIFY(refusal({{"tasks", 100}, {"tasks_used", 90}}, 8).contains("TasksMax"));
        QCOMPARE(refusal({{"tasks", 1000}, {"tasks_used", 90}}, 8), QString());
    }

    void connectionsToAllRanksAreFiles()
    {
        QCOMPARE(refusal({{"nofile_hard", 1024}}, 8), QString());
        QVERIFY(refusal({{"nofile_hard", 1024}}, 1024).contains("ulimit -n"));
    }

    void tellsCheckpointsThatWillNotFit()
    {
        const double all =
            double(footprintOf(bertBase(8), 8).checkpointBytes) * 3; // keep_last 2 and the next one
        QVERIFY(all > 3 * kGibibyte && all < 6 * kGibibyte);         // 110 million parameters, 12 bytes each
        QCOMPARE(remarks(disk(all + 1)), QString());
        QVERIFY2(remarks(disk(all - 1)).contains("3 checkpoints of about"),
                 qPrintable(remarks(disk(all - 1))));
        const QJsonObject quota{{"limit", 9e9}, {"used", 8e9}};
        QVERIFY2(remarks(disk(900 * kGibibyte, quota)).contains("of your quota"),
                 qPrintable(remarks(disk(900 * kGibibyte, quota))));
        QVERIFY(remarks(disk(900 * kGibibyte, QJsonObject{{"inodes_limit", 1000}, {"inodes_used", 999}}))
                    .contains("1 inodes left"));
        QCOMPARE(remarks({}), QString());
    }

    void ranksShareTheMemoryOfTheControlGroup()
    {
        HostFacts facts = host({{"memory", 8 * kGibibyte}});
        facts.memoryBytes = qint64(64 * kGibibyte);
        QCOMPARE(memoryOf(facts, {}).main, std::optional<Bytes>(Bytes(8 * kGibibyte)));
        QCOMPARE(memoryOf(host({{"memory", 8 * kGibibyte}}), {}).main,
                 std::optional<Bytes>()); // unknown stays unknown
    }
};

QTEST_APPLESS_MAIN(TestJudgeLimits)
#include "tst_judge_limits.moc"
