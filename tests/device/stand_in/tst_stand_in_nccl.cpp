#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <QTest>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "tests/device/stand_in/found_by.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr std::size_t kCount = 1024;

/// One rank: a thread with a communicator, a stream and numbers on the device.
struct Member {
    int rank = 0;
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
    float* numbers = nullptr;
    float* others = nullptr;

    ncclResult_t allReduce() const
    {
        return ncclAllReduce(numbers, numbers, kCount, ncclFloat32, ncclSum, comm, stream);
    }
    ncclResult_t broadcast(int root) const
    {
        return ncclBroadcast(numbers, numbers, kCount, ncclFloat32, root, comm, stream);
    }
    ncclResult_t send(int to) const { return ncclSend(numbers, kCount, ncclFloat32, to, comm, stream); }
    ncclResult_t receive(int from) const { return ncclRecv(others, kCount, ncclFloat32, from, comm, stream); }
    void finish() const { cudaStreamSynchronize(stream); }
};

/// As a watchdog does: what is broken is aborted.
void end(const Member& member)
{
    while (cudaStreamQuery(member.stream) == cudaErrorNotReady) {
        ncclResult_t error = ncclSuccess;
        ncclCommGetAsyncError(member.comm, &error);
        if (error != ncclSuccess) {
            ncclCommAbort(member.comm);
            return;
        }
        QTest::qSleep(1);
    }
    ncclCommDestroy(member.comm);
}

void be(const ncclUniqueId& id, int rank, int size, const std::function<void(Member&)>& part)
{
    Member member{.rank = rank};
    cudaStreamCreateWithFlags(&member.stream, cudaStreamNonBlocking);
    cudaMalloc(reinterpret_cast<void**>(&member.numbers), kCount * sizeof(float));
    cudaMalloc(reinterpret_cast<void**>(&member.others), kCount * sizeof(float));
    ncclCommInitRank(&member.comm, size, id, rank);
    part(member);
    if (member.comm)
        end(member);
    cudaStreamDestroy(member.stream);
}

/// What is found when each rank does its part.
QString foundAmong(int size, const std::function<void(Member&)>& part)
{
    return foundBy([&] {
        ncclUniqueId id;
        ncclGetUniqueId(&id);
        std::vector<std::jthread> ranks;
        for (int rank = 0; rank < size; ++rank)
            ranks.emplace_back([&, rank] { be(id, rank, size, part); });
    });
}

} // namespace

/// The stand-in for NCCL finds what it is there for, and nothing else. Here each rank is a thread.
class TestStandInNccl : public QObject {
    Q_OBJECT

private slots:
    void rightProgramsHaveNoFindings()
    {
        const QString found = foundAmong(3, [](Member& m) {
            for (int round = 0; round < 50; ++round) {
                m.allReduce();
                m.broadcast(round % 3);
                ncclGroupStart();
                m.send((m.rank + 1) % 3);
                m.receive((m.rank + 2) % 3);
                ncclGroupEnd();
            }
        });
        QCOMPARE(found, QString());
    }

    void everyDifferenceOfACollectiveIsFound_data()
    {
        QTest::addColumn<int>("difference");
        QTest::newRow("another collective") << 0;
        QTest::newRow("another size") << 1;
        QTest::newRow("another root") << 2;
        QTest::newRow("another type") << 3;
        QTest::newRow("another operation") << 4;
    }
    void everyDifferenceOfACollectiveIsFound()
    {
        QFETCH(const int, difference);
        const QString found = foundAmong(2, [difference](Member& m) {
            const bool differs = m.rank == 1;
            if (difference == 0 && differs)
                m.broadcast(0);
            else if (difference == 2)
                m.broadcast(differs ? 1 : 0);
            else
                ncclAllReduce(m.numbers, m.numbers, difference == 1 && differs ? kCount / 2 : kCount,
                              difference == 3 && differs ? ncclBfloat16 : ncclFloat32,
                              difference == 4 && differs ? ncclMax : ncclSum, m.comm, m.stream);
        });
        QVERIFY2(found.contains("collective 1 differs: rank"), qPrintable(found));
    }

    void aMessageOfAnotherSizeIsFound()
    {
        const QString found = foundAmong(2, [](Member& m) {
            if (m.rank == 0)
                m.send(1);
            else
                ncclRecv(m.others, kCount / 2, ncclFloat32, 0, m.comm, m.stream);
        });
        QVERIFY2(found.contains("rank 1 receives 2048 bytes from rank 0, which sends 4096"),
                 qPrintable(found));
    }

    // Messages that fit in NCCL's buffers would hide this.
    void sendsThatWaitForEachOtherAreFound()
    {
        const QString found = foundAmong(2, [](Member& m) {
            ncclGroupStart(); // connects both ways
            m.send(1 - m.rank);
            m.receive(1 - m.rank);
            ncclGroupEnd();
            m.send(1 - m.rank);
            m.receive(1 - m.rank);
        });
        QVERIFY2(found.contains("no rank goes on: "), qPrintable(found));
        QVERIFY2(found.contains("rank 0 is in ncclSend to rank 1"), qPrintable(found));
    }

    void aMessageThatNobodyReceivesIsFound()
    {
        const QString found = foundAmong(2, [](Member& m) {
            if (m.rank == 0)
                m.send(1);
            else
                m.receive(0);
            if (m.rank == 0)
                m.send(1);
        });
        QVERIFY2(found.contains("rank 0 is in ncclSend to rank 1, but rank 1 has destroyed"),
                 qPrintable(found));
    }

    void theFirstCollectiveWaitsOnTheHost_data()
    {
        QTest::addColumn<QByteArray>("runtimeConnect");
        QTest::newRow("as NCCL does") << QByteArray("1");
        QTest::newRow("unless init connects") << QByteArray("0");
    }
    void theFirstCollectiveWaitsOnTheHost()
    {
        QFETCH(const QByteArray, runtimeConnect);
        qputenv("NCCL_RUNTIME_CONNECT", runtimeConnect);
        std::atomic<bool> returned{false}, looked{false};
        foundAmong(2, [&](Member& m) {
            if (m.rank == 0) {
                m.allReduce();
                returned = true;
                returned.notify_all();
                looked.wait(false);
                return;
            }
            if (runtimeConnect == "0")
                returned.wait(false);
            else
                QTest::qSleep(50); // time for what must not happen
            QCOMPARE(returned.load(), runtimeConnect == "0");
            looked = true;
            looked.notify_all();
            m.allReduce();
        });
        qunsetenv("NCCL_RUNTIME_CONNECT");
    }

    void twoThreadsInOneCommunicatorAreFound()
    {
        std::atomic<bool> refused{false};
        const QString found = foundAmong(2, [&](Member& m) {
            if (m.rank == 1) {
                refused.wait(false);
                m.allReduce();
                return;
            }
            const auto call = [&] { // the first one waits for rank 1
                if (m.allReduce() != ncclInvalidUsage)
                    return;
                refused = true;
                refused.notify_all();
            };
            const std::jthread other(call);
            call();
        });
        QVERIFY2(found.contains("while another thread is in a call of the communicator"), qPrintable(found));
    }

    void useAfterTheEndIsFound()
    {
        const QString found = foundAmong(2, [](Member& m) {
            m.allReduce();
            m.finish();
            ncclCommDestroy(m.comm);
            m.allReduce();
            m.comm = nullptr;
        });
        QVERIFY2(found.contains("ncclAllReduce of a communicator that was aborted or destroyed"),
                 qPrintable(found));
    }

    void destroyingOnAnotherThreadIsFound()
    {
        const QString found = foundAmong(1, [](Member& m) {
            std::jthread([&] { ncclCommDestroy(m.comm); }).join();
            m.comm = nullptr;
        });
        QVERIFY2(found.contains("destroyed on another thread"), qPrintable(found));
    }

    void anAbortEndsACallThatWaits()
    {
        foundAmong(2, [](Member& m) {
            if (m.rank == 1) {
                const std::jthread aborting([&] { ncclCommAbort(m.comm); });
                QVERIFY(m.allReduce() != ncclSuccess);
            } else {
                ncclCommAbort(m.comm);
            }
            m.comm = nullptr;
        });
    }

    // A collective touches memory beside the stream that computes.
    void aCollectiveWithoutAnEventIsFound()
    {
        const QString found = foundAmong(1, [](Member& m) {
            cudaStream_t computing = nullptr;
            cudaStreamCreateWithFlags(&computing, cudaStreamNonBlocking);
            cudaMemsetAsync(m.numbers, 0, kCount * sizeof(float), computing);
            m.allReduce();
            cudaStreamDestroy(computing);
        });
        QVERIFY2(found.contains("ncclAllReduce of 1024 elements of type 7, operation 0 reads memory that "
                                "cudaMemsetAsync writes on another stream"),
                 qPrintable(found));
    }

    void splitsMakeGroupsThatShareMemory()
    {
        const QString found = foundAmong(4, [](Member& m) {
            ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
            config.splitShare = 1;
            ncclComm_t half = nullptr;
            QCOMPARE(ncclCommSplit(m.comm, m.rank % 2, -m.rank, &half, &config), ncclSuccess);
            int rank = -1, size = -1;
            ncclCommUserRank(half, &rank);
            ncclCommCount(half, &size);
            QCOMPARE(size, 2);
            QCOMPARE(rank, m.rank < 2 ? 1 : 0); // by key, which falls
            ncclAllReduce(m.numbers, m.numbers, kCount, ncclFloat32, ncclSum, half, m.stream);
            m.finish();
            ncclCommDestroy(half);
        });
        QCOMPARE(found, QString());
    }
};

QTEST_GUILESS_MAIN(TestStandInNccl)
#include "tst_stand_in_nccl.moc"
