#include <QTemporaryDir>
#include <QTest>

#include "engine/spec/names.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/support/device/emulated_device.h"
#include "tests/support/device/emulated_network.h"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

RunSpec specOf(const fs::path& dataset, OptimizerKind optimizer, const ParallelLayout& layout = {},
               int zeroStage = 0)
{
    RunSpec spec = tinySpec(dataset, 1, ComputeType::Float64);
    spec.optimizer.kind = optimizer;
    spec.launch.steps = 5;
    spec.layout = layout;
    spec.layout.bucketSize = 64 * kKiB;
    spec.memory.zeroStage = zeroStage;
    spec.batch = {8, 2, 4 / layout.data};
    spec.cluster.nodes.front().slotCount = layout.worldSize();
    spec.evaluation.everySteps = 2;
    return spec;
}

} // namespace

/// A device computes what the processor computes. The emulated one goes the ways of a real one: masks from
/// its own kernel, sums in several slots, collectives that return before they are done, other ranges.
class TestDevice : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(writeDataset(dataset(), {.testRows = 11}).ok()); }

    void trainsLikeTheProcessor_data()
    {
        QTest::addColumn<int>("optimizer");
        QTest::addColumn<int>("layout");
        for (const auto kind : {OptimizerKind::AdamW, OptimizerKind::Lamb, OptimizerKind::LambPaper,
                                OptimizerKind::Lans, OptimizerKind::Sgd})
            QTest::addRow("%s", nameOf(kind).data()) << int(kind) << 0;
        QTest::addRow("lamb, data 2, ZeRO 2") << int(OptimizerKind::Lamb) << 1;
        QTest::addRow("adamw, tensor 2, pipeline 2") << int(OptimizerKind::AdamW) << 2;
        QTest::addRow("lamb, data 2, ZeRO 3") << int(OptimizerKind::Lamb) << 3;
    }
    void trainsLikeTheProcessor()
    {
        QFETCH(int, optimizer);
        QFETCH(int, layout);
        const auto kind = OptimizerKind(optimizer);
        const ParallelLayout layouts[] = {
            {}, {.data = 2}, {.tensor = 2, .pipeline = 2, .sequence = true}, {.data = 2}};
        const int stages[] = {0, 2, 0, 3};
        const fs::path expected = run("processor"), found = run("device");
        const Status onProcessor = trainAsThreads(expected, specOf(dataset(), kind));
        QVERIFY2(onProcessor.ok(), onProcessor.ok() ? "" : onProcessor.error().text().c_str());
        TrainOptions options;
        options.device = emulatedDevice();
        EmulatedNetwork network;
        options.wrapMaker = [&](GroupMaker& maker) {
            return std::make_unique<EmulatedGroupMaker>(maker, network);
        };
        const Status onDevice =
            trainAsThreads(found, specOf(dataset(), kind, layouts[layout], stages[layout]), options);
        QVERIFY2(onDevice.ok(), onDevice.ok() ? "" : onDevice.error().text().c_str());
        QVERIFY(largestDifference(stepsOf(expected), stepsOf(found)) < 1e-12);
        QVERIFY(largestNormDifference(stepsOf(expected), stepsOf(found)) < 1e-10);
        QCOMPARE(evaluationsOf(found).size(), std::size_t(3)); // 2, 4, 5
        QVERIFY(largestDifference(evaluationsOf(expected), evaluationsOf(found)) < 1e-12);
    }

    void attendsInOneKernelWhereNothingIsDropped_data()
    {
        QTest::addColumn<int>("family");
        QTest::addRow("bert, with padding") << int(ModelFamily::Bert);
        QTest::addRow("gpt") << int(ModelFamily::Gpt);
    }
    void attendsInOneKernelWhereNothingIsDropped()
    {
        QFETCH(int, family);
        RunSpec spec = specOf(dataset(), OptimizerKind::AdamW);
        spec.model.setFamily(ModelFamily(family));
        spec.model.dropout = 0.1;
        spec.model.attentionDropout = 0;
        const fs::path expected = run("processor"), found = run("device");
        QVERIFY(trainAsThreads(expected, spec).ok());
        TrainOptions options;
        options.device = emulatedDevice();
        QVERIFY(trainAsThreads(found, spec, options).ok());
        QVERIFY(largestDifference(stepsOf(expected), stepsOf(found)) < 1e-12);
    }

private:
    fs::path dataset() const { return fs::path(m_folder.path().toStdString()) / "data"; }
    fs::path run(const char* name)
    {
        return fs::path(m_folder.path().toStdString()) / (std::to_string(++m_runs) + name);
    }

    QTemporaryDir m_folder;
    int m_runs = 0;
};

QTEST_APPLESS_MAIN(TestDevice)
#include "tst_device.moc"
