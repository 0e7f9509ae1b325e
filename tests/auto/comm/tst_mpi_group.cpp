#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/comm/mpi_process.h"
#include "engine/comm/process_group.h"
#include "tests/auto/comm/collective_checks.h"
#include "tests/support/patience.h"

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

    void bringsMessagesWhileOthersMakeCollectives()
    {
        const auto broken = checkMessageLinks(*m_mpi);
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
        const double used = processorSeconds() - before;
        // Three ranks that spin on two cores take 1.3 s each; those that sleep 0.3, on a slow machine 0.5.
        QVERIFY2(used < 0.9, qPrintable(QString::number(used)));
    }

    // Beyond what MPI sends at once. The first rank makes no call until the message is there.
    void deliversWhileTheSenderComputes()
    {
        if (m_mpi->worldSize().value < 2)
            QSKIP("needs a receiver");
        const auto world = m_mpi->makeWorld();
        const QTemporaryDir folder;
        const std::filesystem::path arrived = world->broadcastText(folder.path().toStdString()) + "/arrived";
        std::vector<std::byte> message(4 * kMiB);
        if (m_mpi->rank().value == 0) {
            world->send(message, Rank{1});
            AWAIT(std::filesystem::exists(arrived));
        } else if (m_mpi->rank().value == 1) {
            world->receive(message, Rank{0});
            QVERIFY(writeFileAtomically(arrived, "").ok());
        }
        world->barrier();
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

QTEST_GUILESS_MAIN(TestMpiGroup)
#include "tst_mpi_group.moc"
