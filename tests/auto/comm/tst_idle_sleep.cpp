#include <cstdlib>
#include <sched.h>
#include <sys/resource.h>
#include <thread>

#include <QTest>

#include "engine/comm/idle_sleep.h"
#include "engine/comm/mpi_process.h"

using namespace trainyard;

namespace {

/// How often this thread went to sleep in a wait of so many calls, as MPI makes them.
long sleepsInAWait()
{
    rusage before{};
    ::getrusage(RUSAGE_THREAD, &before);
    for (int call = 0; call < 3000; ++call)
        ::sched_yield();
    rusage after{};
    ::getrusage(RUSAGE_THREAD, &after);
    return after.ru_nvcsw - before.ru_nvcsw;
}

} // namespace

/// When a rank that waits sleeps. Runs under mpirun.
class TestIdleSleep : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        qputenv("OMPI_MCA_mpi_yield_when_idle", "0"); // as a user may have it
        m_mpi = MpiProcess::start().value();
    }

    void sleepsWhereRanksLeaveNoCoreToCommunication()
    {
        QVERIFY(shareCores({2, 2}, 1)); // each rank has a thread that computes and one that communicates
        QVERIFY(!shareCores({2, 4}, 1));
        QVERIFY(shareCores({8, 64}, 8));
        QVERIFY(!shareCores({8, 72}, 8));
        QVERIFY(!shareCores({1, 2}, 1));
        QVERIFY(shareCores({1, 0}, 1)); // the kernel does not tell
        QVERIFY(shareCores({200'000, 2'000'000'000}, 20'000));
    }

    void sleepsInAWaitUntilToldOtherwise()
    {
        QVERIFY(sleepsInAWait() > 100);
        sleepWhereMpiYields(false);
        QVERIFY(sleepsInAWait() < 100);
        sleepWhereMpiYields(true);
        QVERIFY(sleepsInAWait() > 100);
    }

    void keepsTheSettingOfTheUser() { QCOMPARE(qgetenv("OMPI_MCA_mpi_yield_when_idle"), QByteArray("0")); }

    void countsTheRanksAndCoresOfItsHost()
    {
        QCOMPARE(m_mpi->host().ranks, m_mpi->worldSize().value); // all are here
        QVERIFY(m_mpi->host().cores >= 1);
        QVERIFY(m_mpi->host().cores <= int(std::thread::hardware_concurrency()));
        m_mpi->setThreads(m_mpi->host().cores); // a thread more than cores, to communicate
        QVERIFY(sleepsInAWait() > 100);
        m_mpi->setThreads(0);
        QCOMPARE(sleepsInAWait() > 100, m_mpi->host().ranks > m_mpi->host().cores);
    }

    void cleanupTestCase() { m_mpi.reset(); }

private:
    std::unique_ptr<MpiProcess> m_mpi;
};

QTEST_GUILESS_MAIN(TestIdleSleep)
#include "tst_idle_sleep.moc"
