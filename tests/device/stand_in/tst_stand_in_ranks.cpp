#include <QTest>

#include "tests/device/stand_in/stand_in_job.h"

using namespace trainyard;

/// The real plug-in, its NCCL transport and LibTorch's allocator on processes of their own, each with a
/// stand-in device.
class TestStandInRanks : public QObject {
    Q_OBJECT

private slots:
    void theyComputeTheRightResultsInOrder_data()
    {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<int>("ranks");
        QTest::newRow("collectives of two") << "collectives" << 2;
        QTest::newRow("collectives of four") << "collectives" << 4;
        QTest::newRow("messages along a pipeline") << "messages" << 3;
        QTest::newRow("shifts in a ring") << "ring" << 3;
        QTest::newRow("computing beside collectives") << "stream-order" << 2;
        QTest::newRow("our kernels' launches") << "kernels" << 1;
        QTest::newRow("memory by category") << "accounting" << 2;
        QTest::newRow("memory of communicators") << "communicators" << 2;
        QTest::newRow("rounds") << "rounds" << 3;
    }
    void theyComputeTheRightResultsInOrder()
    {
        QFETCH(const QString, scenario);
        QFETCH(const int, ranks);
        StandInJob job(scenario, ranks);
        job.with("TRAINYARD_STAND_IN_DELAYS", "1").run();
        for (int rank = 0; rank < ranks; ++rank)
            QVERIFY2(job.status(rank) == 0, qPrintable(job.log(rank)));
        QCOMPARE(job.findings(), QString());
    }
};

QTEST_GUILESS_MAIN(TestStandInRanks)
#include "tst_stand_in_ranks.moc"
