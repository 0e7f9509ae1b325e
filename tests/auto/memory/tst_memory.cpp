#include <thread>

#include <sys/mman.h>

#include <torch/types.h>

#include "engine/memory/accounting_allocator.h"
#include "engine/memory/device_accounting.h"
#include "engine/memory/memory_scope.h"

#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace {

Bytes bytesOf(const MemorySnapshot& snapshot, MemoryCategory category)
{
    return snapshot.bytes[static_cast<std::size_t>(category)];
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_memory = &AccountingAllocator::install(); }

    void countsTensorsToTheByte()
    {
        const MemorySnapshot before = ledger().current();
        {
            const MemoryScope scope(MemoryCategory::Weights);
            const at::Tensor tensor = at::zeros({3, 7}, at::kDouble);
            QCOMPARE(bytesOf(ledger().current(), MemoryCategory::Weights) -
                         bytesOf(before, MemoryCategory::Weights),
                     Bytes(3 * 7 * 8));
            QCOMPARE(ledger().current().total - before.total, Bytes(3 * 7 * 8));
        }
        QCOMPARE(ledger().current().total, before.total);
    }

    void nestsScopesPerThread()
    {
        const MemoryScope outer(MemoryCategory::Weights);
        {
            const MemoryScope inner(MemoryCategory::Data);
            QCOMPARE(MemoryScope::current(), MemoryCategory::Data);
            std::thread([] { QCOMPARE(MemoryScope::current(), MemoryCategory::Other); }).join();
        }
        QCOMPARE(MemoryScope::current(), MemoryCategory::Weights);
    }

    void remembersWhatThePeakWasMadeOf()
    {
        ledger().resetPeak();
        const MemorySnapshot base = ledger().current();
        {
            const MemoryScope scope(MemoryCategory::Activations);
            const at::Tensor big = at::empty({1000}, at::kFloat);
        }
        const MemoryScope scope(MemoryCategory::Optimizer);
        const at::Tensor small = at::empty({10}, at::kFloat);
        const MemorySnapshot peak = ledger().peak();
        QCOMPARE(peak.total - base.total, Bytes(4000));
        QCOMPARE(bytesOf(peak, MemoryCategory::Activations) - bytesOf(base, MemoryCategory::Activations),
                 Bytes(4000));
        QCOMPARE(bytesOf(peak, MemoryCategory::Optimizer), bytesOf(base, MemoryCategory::Optimizer));
        ledger().resetPeak();
        QCOMPARE(ledger().peak().total, ledger().current().total);
    }

    void countsUnderTheCategoryOfTheAllocationWhoeverFrees()
    {
        const MemorySnapshot before = ledger().current();
        at::Tensor tensor;
        std::thread([&] {
            const MemoryScope scope(MemoryCategory::Data);
            tensor = at::empty({100}, at::kLong);
        }).join();
        QCOMPARE(bytesOf(ledger().current(), MemoryCategory::Data) - bytesOf(before, MemoryCategory::Data),
                 Bytes(800));
        tensor.reset();
        QCOMPARE(ledger().current().bytes, before.bytes);
    }

    void countsWhatDevicesReport()
    {
        const c10::Device gpu(c10::DeviceType::CUDA, 0);
        MemoryLedger device;
        int block = 0, older = 0;
        {
            const DeviceAccounting accounting(device);
            {
                const MemoryScope scope(MemoryCategory::Weights);
                c10::reportMemoryUsageToProfiler(&block, 512, 512, 1024, gpu);
            }
            c10::reportMemoryUsageToProfiler(&older, -256, 512, 1024, gpu); // from before: nobody knows it
            const at::Tensor onProcessor = at::empty({100}, at::kFloat);
            QCOMPARE(bytesOf(device.current(), MemoryCategory::Weights), Bytes(512));
            QCOMPARE(device.current().total, Bytes(512));
            const MemoryScope scope(MemoryCategory::Other);
            c10::reportMemoryUsageToProfiler(&block, -512, 0, 1024, gpu);
            QCOMPARE(device.current().total, Bytes(0));
            QCOMPARE(bytesOf(device.peak(), MemoryCategory::Weights), Bytes(512));
        }
        c10::reportMemoryUsageToProfiler(&block, 512, 512, 1024, gpu);
        QCOMPARE(device.current().total, Bytes(0));
    }

    void holdsAtMostTwiceWhatWasInUse()
    {
        BlockCache cache;
        std::size_t largest = 0;
        for (std::size_t bytes = 1 << 12; bytes < (1 << 20);
             bytes += 1 << 12) { // sizes that never come again
            largest = BlockCache::blockSize(bytes);
            cache.release(cache.acquire(bytes), bytes);
            QVERIFY(cache.idleBytes() <= 2 * largest);
        }
        void* block = cache.acquire(1 << 12); // the same size again: what is idle stays
        const Bytes idle = cache.idleBytes();
        cache.release(block, 1 << 12);
        cache.release(cache.acquire(1 << 12), 1 << 12);
        QCOMPARE(cache.idleBytes(), idle + BlockCache::blockSize(1 << 12));
    }

    void givesAlignedBlocksAgain()
    {
        BlockCache cache;
        for (std::size_t bytes = 1; bytes < (std::size_t{1} << 26); bytes += 1 + bytes / 3) {
            QVERIFY(BlockCache::blockSize(bytes) >= bytes);
            QVERIFY(BlockCache::blockSize(bytes) <= std::max<std::size_t>(64, bytes + bytes / 8 + 1));
            void* block = cache.acquire(bytes);
            QCOMPARE(reinterpret_cast<std::uintptr_t>(block) % BlockCache::kAlignment, std::uintptr_t(0));
            cache.release(block, bytes);
            QCOMPARE(cache.acquire(bytes), block);
            cache.release(block, bytes);
        }
        QVERIFY(cache.idleBytes() > 0);
        cache.trim();
        QCOMPARE(cache.idleBytes(), Bytes(0));
    }

    // Last: it cannot be undone.
    void putsFlatBuffersWhereOtherRanksReachThem()
    {
        const SharedArena* const arena = m_memory->shareFlatBuffers();
        QVERIFY(arena);
        const auto isShared = [&](MemoryCategory category, std::int64_t bytes) {
            const MemoryScope scope(category);
            const Bytes before = bytesOf(ledger().current(), category);
            const at::Tensor tensor = at::zeros({bytes}, at::kByte);
            const bool exact = bytesOf(ledger().current(), category) - before == Bytes(bytes);
            return exact && arena->contains(tensor.data_ptr(), tensor.nbytes());
        };
        QVERIFY(isShared(MemoryCategory::Weights, 3'000'000));
        QVERIFY(isShared(MemoryCategory::Gradients, 3'000'000));
        QVERIFY(!isShared(MemoryCategory::Gradients, 3'000));
        QVERIFY(!isShared(MemoryCategory::Activations, 3'000'000));
    }

    // Two mappings of one file, as two processes have them.
    void sharesAndGivesBackArenas()
    {
        const auto arena = SharedArena::create(std::size_t{1} << 30);
        QVERIFY(arena);
        auto* const block = static_cast<char*>(arena->allocate(5000));
        void* const mapping = ::mmap(nullptr, arena->bytes(), PROT_READ, MAP_SHARED, arena->file().get(), 0);
        QVERIFY(mapping != MAP_FAILED);
        const auto* const seen = static_cast<const char*>(mapping) + arena->offsetOf(block);
        block[4999] = 'x';
        QCOMPARE(seen[4999], 'x');
        arena->release(block, 5000);
        QCOMPARE(seen[4999], '\0');
        QVERIFY(arena->allocate(5000) != block);
        QVERIFY(!arena->allocate(std::size_t{1} << 30));
        QVERIFY(!arena->contains(&arena, 1));
        ::munmap(mapping, arena->bytes());
    }

private:
    MemoryLedger& ledger() { return m_memory->ledger(); }
    AccountingAllocator* m_memory = nullptr;
};

QTEST_APPLESS_MAIN(TestMemory)
#include "tst_memory.moc"
