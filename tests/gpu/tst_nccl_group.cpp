#include <QTest>

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include "engine/comm/collective_watchdog.h"
#include "engine/comm/local_transport.h"
#include "engine/comm/process_group.h"
#include "engine/device/cuda/cuda_plugin.h"
#include "engine/nn/tensor_memory.h"
#include "tests/gpu/gpu_test.h"

using namespace trainyard;

/// NCCL among the ranks of a group of one, through the plug-in as the worker opens it.
class TestNcclGroup : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_plugin = openFirstGpu();
        if (!m_plugin)
            QSKIP("this machine has no GPU");
    }

    void everyCollectiveOfOneRankIsTheIdentity()
    {
        ProcessGroup group({std::make_unique<LocalTransport>(), nullptr, nullptr, 0});
        attachNccl(group);
        const at::Tensor expected = at::arange(1 << 20, at::kFloat);
        const at::Tensor values = expected.to(m_plugin->device().place);
        group.allReduce(numbersOf(values));
        group.allReduce(numbersOf(values), ReduceOp::Max);
        group.broadcast(memoryOf(values));
        group.allGather(memoryOf(values));
        group.reduceScatter(numbersOf(values));
        QVERIFY(values.cpu().equal(expected));
    }

    // The sum is of what the current stream had computed by the call, and what comes after the wait sees it.
    void collectivesKeepTheOrderOfTheStream()
    {
        ProcessGroup group({std::make_unique<LocalTransport>(), nullptr, nullptr, 0});
        attachNccl(group);
        at::Tensor values =
            at::zeros({1 << 24}, at::TensorOptions().dtype(at::kFloat).device(m_plugin->device().place));
        for (int round = 1; round <= 50; ++round) {
            values.add_(1);
            group.allReduce(numbersOf(values));
            values.mul_(2).div_(2);
        }
        QCOMPARE(values.min().item<float>(), 50.0f);
        QCOMPARE(values.max().item<float>(), 50.0f);
    }

    void hostMemoryStaysWithTheHostTransport()
    {
        ProcessGroup group({std::make_unique<LocalTransport>(), nullptr, nullptr, 0});
        attachNccl(group);
        std::vector<double> values{1, 2, 3};
        group.allReduce(std::span(values));
        QCOMPARE(values, (std::vector<double>{1, 2, 3}));
    }

private:
    void attachNccl(ProcessGroup& group)
    {
        const CudaPlugin& functions = m_plugin->functions();
        group.attachDevice(std::unique_ptr<DeviceTransport>(functions.makeTransport(
                               functions.makeGroupId(), 0, 1, DeviceTraffic::Collectives)),
                           m_watchdog);
    }

    CollectiveWatchdog m_watchdog{std::chrono::minutes(1),
                                  {[](const std::string& what) { QFAIL(what.c_str()); }, [] {}}};
    std::optional<GpuPlugin> m_plugin;
};

QTEST_APPLESS_MAIN(TestNcclGroup)
#include "tst_nccl_group.moc"
