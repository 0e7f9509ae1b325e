#include <QTest>

#include <atomic>
#include <numeric>

#include "engine/comm/agreement.h"
#include "engine/comm/process_group.h"
#include "engine/comm/threads_transport.h"
#include "tests/auto/comm/collective_checks.h"

using namespace trainyard;

class TestThreadsGroup : public QObject {
    Q_OBJECT

private slots:
    void keepsTheContractOfCollectives_data() { addRankCounts(); }
    void keepsTheContractOfCollectives()
    {
        QFETCH(int, ranks);
        std::atomic<int> broken = 0;
        runAsThreads(ranks, [&](ProcessGroup& group) { broken += checkCollectives(group).size(); });
        QCOMPARE(broken.load(), 0);
    }

    void joinsTheRanksOfEveryAxis_data() { addRankCounts(); }
    void joinsTheRanksOfEveryAxis()
    {
        QFETCH(int, ranks);
        std::atomic<int> broken = 0;
        runRanksAsThreads(ranks, [&](GroupMaker& maker) { broken += checkProcessGroups(maker).size(); });
        QCOMPARE(broken.load(), 0);
    }

    void bringsMessagesWhileOthersMakeCollectives_data() { addRankCounts(); }
    void bringsMessagesWhileOthersMakeCollectives()
    {
        QFETCH(int, ranks);
        std::atomic<int> broken = 0;
        runRanksAsThreads(ranks, [&](GroupMaker& maker) { broken += checkMessageLinks(maker).size(); });
        QCOMPARE(broken.load(), 0);
    }

    void tellsAllRanksWhichOneFailed()
    {
        std::atomic<int> told = 0;
        runAsThreads(3, [&](ProcessGroup& group) {
            const Status mine = group.rank().value > 0 ? Status(badInput("no shard", "copy it")) : Status();
            const Status all = agree(group, mine);
            told += !all.ok() && all.error().kind == ErrorKind::BadInput &&
                    all.error().text() == "rank 1: no shard (and 1 more rank failed) — copy it";
        });
        QCOMPARE(told.load(), 3);
    }

    void doesNotLeaveRanksWaitingForOneThatThrew()
    {
        const auto run = [] {
            runAsThreads(3, [](ProcessGroup& group) {
                if (group.rank().value == 1)
                    throw std::runtime_error("disk full");
                group.barrier();
            });
        };
        QVERIFY_EXCEPTION_THROWN(run(), std::runtime_error);
    }

    void sumsInOrderOfRank()
    {
        // 1e16 + 1 - 1e16 depends on the order: ascending ranks give 0.
        const double offers[] = {1e16, 1.0, -1e16};
        runAsThreads(3, [&](ProcessGroup& group) {
            std::vector<double> values{offers[group.rank().value]};
            group.allReduce(std::span(values));
            if (values[0] != 0.0)
                throw std::runtime_error("another order");
        });
    }

private:
    static void addRankCounts()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 3, 4, 8})
            QTest::addRow("%d ranks", ranks) << ranks;
    }
};

QTEST_APPLESS_MAIN(TestThreadsGroup)
#include "tst_threads_group.moc"
