#include <chrono>
#include <ctime>
#include <thread>

#include <QTest>

#include "engine/comm/mpi_process.h"
#include "engine/comm/process_group.h"
#include "tests/auto/comm/collective_checks.h"

using namespace trainyard;

namespace {

/// Of all threads of this process.
double processorSeconds()
{
    return double(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

/// Runs under mpirun: every rank makes the same calls.
class TestMpiGroup : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_mpi = MpiProcess::start().value(); }

    void knowsItsRankBeforeAndAfterTheStart()
    {
        QVERIFY(MpiProcess::isLaunched());
        QCOMPARE(MpiProcess::launchedRank().value, m_mpi->rank().value);
    }

    void keepsTheContractOfCollectives()
    {
        const auto group = m_mpi->makeWorld();
        QCOMPARE(group->size().value, m_mpi->worldSize().value);
        const auto broken = checkCollectives(*group);
        QVERIFY2(broken.empty(), broken.empty() ? "" : broken.front().c_str());
    }

    void waitsWithoutKeepingTheCore()
    {
        const auto group = m_mpi->makeWorld();
        group->barrier();
        const double before = processorSeconds();
        if (m_mpi->rank().value == 0)
            std::this_thread::sleep_for(std::chrono::seconds(2)); // the others wait for this rank
        group->barrier();
        QVERIFY2(processorSeconds() - before < 0.5, qPrintable(QString::number(processorSeconds() - before)));
    }

    void joinsTheRanksOfEveryAxis()
    {
        const auto broken = checkProcessGroups(*m_mpi);
        QVERIFY2(broken.empty(), broken.empty() ? "" : broken.front().c_str());
    }

    void cleanupTestCase() { m_mpi.reset(); }

private:
    std::unique_ptr<MpiProcess> m_mpi;
};

QTEST_APPLESS_MAIN(TestMpiGroup)
#include "tst_mpi_group.moc"
