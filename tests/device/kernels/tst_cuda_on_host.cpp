#include <numeric>

#include "tests/device/kernels/faulty_kernels.h"
#include "tests/device/kernels/kernel_test.h"

using namespace trainyard;

namespace {

std::vector<int> ascending(std::size_t count)
{
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

QString faultOf(cudaError_t launched)
{
    return launched == cudaSuccess ? QString()
                                   : QString::fromStdString(on_host::BlockExecutor::instance().fault());
}

} // namespace

/// The executor of kernels finds faults of kernels that were made for it. Of accesses only the executable
/// with observed ones knows.
class TestCudaOnHost : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_isObserved = QCoreApplication::applicationFilePath().endsWith("_order"); }

    void exchangesThroughSharedMemory()
    {
        DeviceArray<int> values(ascending(256));
        LAUNCHES(launchReverse(values.data(), 256));
        for (int i = 0; i < 256; ++i)
            QCOMPARE(values[std::size_t(i)], 255 - i);
    }

    void findsAMissingBarrier()
    {
        DeviceArray<int> values(ascending(256));
        const QString fault = faultOf(launchReverseWithoutBarrier(values.data(), 256));
        if (m_isObserved)
            QVERIFY2(fault.contains("faulty_kernels.cu:") &&
                         (fault.contains("without a barrier") || fault.contains("has not written")),
                     qPrintable(fault));
        else // the order of the threads shows it
            QVERIFY(values[0] != 255 || values[255] != 0 || values[128] != 127);
    }

    void findsABarrierThatHalfTheBlockReaches()
    {
        const QString fault = faultOf(launchBarrierOfHalfTheBlock(64));
        QVERIFY2(fault.contains("waits at the barrier of faulty_kernels.cu:"), qPrintable(fault));
        QVERIFY2(fault.contains("has left the kernel"), qPrintable(fault));
    }

    void findsThreadsAtDifferentBarriers()
    {
        const QString fault = faultOf(launchTwoBarriers(64));
        QCOMPARE(fault.count("waits at the barrier of faulty_kernels.cu:"), 2);
    }

    void findsAShuffleThatHalfTheWarpReaches()
    {
        DeviceArray<int> values(ascending(32));
        const QString fault = faultOf(launchShuffleOfHalfTheWarp(values.data()));
        QVERIFY2(fault.contains("shuffles at faulty_kernels.cu:"), qPrintable(fault));
        QVERIFY2(fault.contains("has left the kernel"), qPrintable(fault));
    }

    void findsALaneThatDoesNotTakePart()
    {
        DeviceArray<int> values(ascending(32));
        const QString fault = faultOf(launchShuffleFromOutsideItsMask(values.data()));
        QVERIFY2(fault.contains("which does not take part"), qPrintable(fault));
    }

    void findsAWarpThatIsNotFull()
    {
        DeviceArray<int> values(ascending(48));
        const QString fault = faultOf(launchWarpSums(values.data(), 48, 32));
        QVERIFY2(fault.contains("lane 16, which the block does not have"), qPrintable(fault));
    }

    void shufflesWithinTheWidth()
    {
        DeviceArray<int> values(ascending(64));
        LAUNCHES(launchWarpSums(values.data(), 64, 8));
        for (int first = 0; first < 64; first += 8)
            QCOMPARE(values[std::size_t(first)], 8 * first + 28);
    }

    void findsAnElementOfTwoBlocks()
    {
        if (!m_isObserved)
            return;
        DeviceArray<int> values(ascending(32));
        const QString fault = faultOf(launchSameElementOfTwoBlocks(values.data()));
        QVERIFY2(fault.contains("block (1, 0, 0)") && fault.contains("what block (0, 0, 0)"),
                 qPrintable(fault));
    }

    void findsSharedMemoryThatNobodyWrote()
    {
        DeviceArray<int> values(ascending(32));
        const QString fault = faultOf(launchUnwrittenShared(values.data()));
        if (m_isObserved)
            QVERIFY2(fault.contains("that its block has not written"), qPrintable(fault));
        else
            QCOMPARE(values[0], -1); // the pattern
    }

    void findsAnElementBeyondTheArray()
    {
        if (!m_isObserved)
            return; // AddressSanitizer would end the process
        DeviceArray<int> values(ascending(40));
        const QString fault = faultOf(launchStoreTo(values.data(), 2, 32));
        QVERIFY2(fault.contains("writes outside of device memory at faulty_kernels.cu:"), qPrintable(fault));
    }

    void refusesGridsBeyondTheLimits_data()
    {
        QTest::addColumn<QList<unsigned>>("grid");
        QTest::addColumn<QList<unsigned>>("block");
        QTest::addRow("empty") << QList<unsigned>{0, 1, 1} << QList<unsigned>{1, 1, 1};
        QTest::addRow("no threads") << QList<unsigned>{1, 1, 1} << QList<unsigned>{0, 1, 1};
        QTest::addRow("x") << QList<unsigned>{1u << 31, 1, 1} << QList<unsigned>{1, 1, 1};
        QTest::addRow("y") << QList<unsigned>{1, 65536, 1} << QList<unsigned>{1, 1, 1};
        QTest::addRow("z") << QList<unsigned>{1, 1, 65536} << QList<unsigned>{1, 1, 1};
        QTest::addRow("threads") << QList<unsigned>{1, 1, 1} << QList<unsigned>{1025, 1, 1};
        QTest::addRow("threads in all") << QList<unsigned>{1, 1, 1} << QList<unsigned>{64, 32, 1};
        QTest::addRow("threads in z") << QList<unsigned>{1, 1, 1} << QList<unsigned>{1, 1, 65};
    }
    void refusesGridsBeyondTheLimits()
    {
        QFETCH(QList<unsigned>, grid);
        QFETCH(QList<unsigned>, block);
        DeviceArray<int> values(1);
        QCOMPARE(launchStoreTo(values.data(), {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}),
                 cudaErrorInvalidConfiguration);
    }

    void refusesMoreSharedMemoryThanThereIs()
    {
        DeviceArray<int> values(1);
        const QString fault = faultOf(launchLargeShared(values.data()));
        QVERIFY2(fault.contains("more than 49152 bytes"), qPrintable(fault));
    }

    void launchesAgainAfterAFault()
    {
        DeviceArray<int> values(ascending(256));
        QVERIFY(launchBarrierOfHalfTheBlock(256) != cudaSuccess);
        LAUNCHES(launchReverse(values.data(), 256));
        QCOMPARE(values[0], 255);
    }

private:
    bool m_isObserved = false;
};

QTEST_GUILESS_MAIN(TestCudaOnHost)
#include "tst_cuda_on_host.moc"
