#include <QTest>

#include <cuda_runtime_api.h>

#include "engine/comm/communication_thread.h"
#include "engine/comm/cuda/cuda_plugin.h"
#include "engine/comm/gpu_plugin.h"
#include "engine/comm/local_transport.h"
#include "engine/comm/process_group.h"

using namespace trainyard;

/// One rank on one GPU, through the plug-in as the worker opens it.
class TestNcclGroup : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        auto plugin = GpuPlugin::open();
        QVERIFY2(plugin.ok(), plugin.ok() ? "" : plugin.error().text().c_str());
        if (!*plugin || (*plugin)->functions().deviceCount() == 0)
            QSKIP("this machine has no GPU");
        m_plugin = **plugin;
    }

    void tellsTheMemoryOfEveryDevice()
    {
        const auto memory = m_plugin->memory();
        QVERIFY(!memory.empty());
        QVERIFY(memory.front().free > 0 && memory.front().free <= memory.front().total);
    }

    void reducesDeviceAndHostMemory()
    {
        char error[256] = {};
        std::unique_ptr<Transport> transport(
            m_plugin->functions().makeTransport(new LocalTransport, 0, error, sizeof error));
        QVERIFY2(transport != nullptr, error);
        ProcessGroup group({std::move(transport), std::make_shared<CommunicationThread>(), nullptr, 0});

        std::vector<float> host{1, 2, 3};
        void* device = nullptr;
        QCOMPARE(cudaMalloc(&device, 3 * sizeof(float)), cudaSuccess);
        QCOMPARE(cudaMemcpy(device, host.data(), 3 * sizeof(float), cudaMemcpyHostToDevice), cudaSuccess);
        group.allReduce(FloatSpan(device, 3, FloatType::Float32));
        std::vector<float> back(3);
        QCOMPARE(cudaMemcpy(back.data(), device, 3 * sizeof(float), cudaMemcpyDeviceToHost), cudaSuccess);
        cudaFree(device);
        QCOMPARE(back, host); // a sum over one rank
        group.allReduce(std::span(host), ReduceOp::Max);
        QCOMPARE(back, host);
    }

private:
    std::optional<GpuPlugin> m_plugin;
};

QTEST_APPLESS_MAIN(TestNcclGroup)
#include "tst_nccl_group.moc"
