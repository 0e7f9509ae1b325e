#include <csignal>
#include <numeric>
#include <vector>

#include <QTest>

#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/stand_in/found_by.h"

using namespace trainyard;

namespace {

constexpr std::size_t kBytes = 4096;

/// Two streams, an event and a block of the device.
struct Fixture {
    Fixture()
    {
        cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        cudaMalloc(&block, kBytes);
    }
    ~Fixture()
    {
        cudaFree(block);
        cudaEventDestroy(event);
        cudaStreamDestroy(first);
        cudaStreamDestroy(second);
    }

    cudaStream_t first = nullptr;
    cudaStream_t second = nullptr;
    cudaEvent_t event = nullptr;
    void* block = nullptr;
};

} // namespace

/// The stand-in for CUDA's run-time finds what it is there for, and nothing else.
class TestStandInCuda : public QObject {
    Q_OBJECT

private slots:
    void copiesComeBack()
    {
        Fixture f;
        std::vector<int> sent(kBytes / sizeof(int)), received(sent.size());
        std::iota(sent.begin(), sent.end(), 1);
        cudaMemcpyAsync(f.block, sent.data(), kBytes, cudaMemcpyHostToDevice, f.first);
        cudaMemcpyAsync(received.data(), f.block, kBytes, cudaMemcpyDeviceToHost, f.first);
        QCOMPARE(received, sent);
    }

    void streamsWithoutAnEventAreFound_data()
    {
        QTest::addColumn<int>("order"); // 0 none, 1 event, 2 the host waits, 3 the event of the wrong stream
        QTest::addColumn<bool>("isFound");
        QTest::newRow("nothing orders them") << 0 << true;
        QTest::newRow("an event") << 1 << false;
        QTest::newRow("the host waits in between") << 2 << false;
        QTest::newRow("an event from before the write") << 3 << true;
    }
    void streamsWithoutAnEventAreFound()
    {
        QFETCH(const int, order);
        QFETCH(const bool, isFound);
        const QString found = foundBy([&] {
            Fixture f;
            if (order == 3)
                cudaEventRecord(f.event, f.first);
            cudaMemsetAsync(f.block, 1, kBytes, f.first);
            if (order == 1)
                cudaEventRecord(f.event, f.first);
            if (order == 1 || order == 3)
                cudaStreamWaitEvent(f.second, f.event, 0);
            if (order == 2)
                cudaStreamSynchronize(f.first);
            cudaMemsetAsync(f.block, 2, kBytes / 2, f.second);
        });
        QCOMPARE(found.contains("nothing orders the two"), isFound);
    }

    void readersMayGoBesideEachOther()
    {
        const QString found = foundBy([] {
            Fixture f;
            std::vector<char> bytes(kBytes);
            cudaMemcpyAsync(bytes.data(), f.block, kBytes, cudaMemcpyDeviceToHost, f.first);
            cudaMemcpyAsync(bytes.data(), f.block, kBytes, cudaMemcpyDeviceToHost, f.second);
        });
        QCOMPARE(found, QString());
    }

    void writingWhatAnotherStreamStillReadsIsFound()
    {
        const QString found = foundBy([] {
            Fixture f;
            void* other = nullptr;
            cudaMalloc(&other, kBytes);
            cudaMemcpyAsync(other, f.block, kBytes, cudaMemcpyDeviceToDevice, f.first);
            cudaMemsetAsync(f.block, 0, kBytes, f.second);
            cudaFree(other);
        });
        QVERIFY(found.contains("writes memory that cudaMemcpyAsync reads on another stream"));
    }

    void eventsComeInTheStreamsOrder()
    {
        Fixture f;
        cudaMemsetAsync(f.block, 1, kBytes, f.first);
        cudaEventRecord(f.event, f.first);
        cudaEventSynchronize(f.event);
        QCOMPARE(cudaEventQuery(f.event), cudaSuccess);
    }

    void theHostCannotTouchDeviceMemory()
    {
        Fixture f;
        const pid_t child = ::fork();
        if (child == 0) {
            std::signal(SIGSEGV, SIG_DFL);
            *static_cast<volatile char*>(f.block) = 1;
            ::_exit(0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }

    void memoryRunsOutAndComesBack()
    {
        std::size_t before = 0, during = 0, after = 0, total = 0;
        cudaMemGetInfo(&before, &total);
        void* block = nullptr;
        QCOMPARE(cudaMalloc(&block, total + 1), cudaErrorMemoryAllocation);
        QCOMPARE(cudaGetLastError(), cudaErrorMemoryAllocation);
        QCOMPARE(cudaMalloc(&block, std::size_t{64} << 20), cudaSuccess);
        cudaMemGetInfo(&during, &total);
        QCOMPARE(before - during, std::size_t{64} << 20);
        cudaFree(block);
        cudaMemGetInfo(&after, &total);
        QCOMPARE(after, before);
    }
};

QTEST_GUILESS_MAIN(TestStandInCuda)
#include "tst_stand_in_cuda.moc"
