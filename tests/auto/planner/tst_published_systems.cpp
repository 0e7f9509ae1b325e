#include <QTest>

#include <cmath>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/memory_model.h"
#include "engine/planner/time/step_figures.h"
#include "engine/planner/time/step_model.h"
#include "engine/planner/validation/calibration.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

/// One sequence length of 1,024 and ZeRO 3 with optimizer and activations in host memory.
RunSpec offloadedRun(const char* model, int devices, int micro)
{
    RunSpec spec;
    spec.model = *modelPreset(model);
    spec.layout.data = devices;
    spec.batch = {micro * devices, micro, 1};
    spec.precision.compute = ComputeType::Float16;
    spec.memory.zeroStage = 3;
    spec.memory.recompute = RecomputeKind::Full;
    spec.memory.offloadOptimizer = true;
    spec.memory.offloadActivations = true;
    return spec;
}

/// Operations per second and device, recomputation included, in 10^12.
double deepSpeedRate(const char* model, int devices, int micro)
{
    const RunSpec spec = offloadedRun(model, devices, micro);
    const SequenceShape shape{1024, 0};
    const NodeModel node = *nodePreset("ndm-a100-v4");
    const StepTime time = StepModel::create(spec, shape, node, deepSpeedProgram())->estimate();
    return stepFigures(spec, shape, node.device, time.seconds).hardwareRate / 1e12;
}

/// BERT of the first phase on nodes of eight Gaudi. Large: 65,536 sequences a step however many accelerators;
/// 1.5B: 384 per accelerator, in micro-batches of 16.
RunSpec bertRun(const char* model, int accelerators)
{
    RunSpec spec;
    spec.model = *modelPreset(model);
    spec.layout.data = accelerators;
    const bool large = std::string_view(model) == "bert-large";
    spec.batch =
        large ? BatchSpec{65536, 64, 65536 / 64 / accelerators} : BatchSpec{384 * accelerators, 16, 24};
    spec.precision.compute = ComputeType::BFloat16;
    spec.memory.zeroStage = 1;
    return spec;
}

StepModel bertModel(const RunSpec& spec)
{
    return *StepModel::create(spec, {128, 20}, *nodePreset("dl1.24xlarge"));
}

} // namespace

class TestPublishedSystems : public QObject {
    Q_OBJECT

private slots:
    // DeepSpeed on Azure, July 2022: bars read off its figures, to 2 TFLOP/s.
    void isCloseToDeepSpeedWithOffload_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("micro");
        QTest::addColumn<double>("rate");
        for (const auto& [micro, rate] : {std::pair{1, 49.}, {2, 81.}, {4, 134.}, {8, 164.}, {16, 189.}})
            QTest::addRow("175B, micro-batch %d", micro) << "gpt-175b" << micro << rate;
        for (const auto& [micro, rate] : {std::pair{1, 65.}, {2, 104.}, {4, 144.}, {8, 171.37}})
            QTest::addRow("530B, micro-batch %d", micro) << "gpt-530b" << micro << rate;
        for (const auto& [micro, rate] : {std::pair{1, 77.}, {2, 116.}, {4, 141.}, {8, 165.36}})
            QTest::addRow("1T, micro-batch %d", micro) << "gpt-1t" << micro << rate;
    }
    void isCloseToDeepSpeedWithOffload()
    {
        QFETCH(QString, model);
        QFETCH(int, micro);
        QFETCH(double, rate);
        const double predicted = deepSpeedRate(model.toUtf8().constData(), 1024, micro);
        qInfo("%.1f TFLOP/s, published %.1f", predicted, rate);
        QVERIFY2(std::abs(predicted / rate - 1) < 0.17, qPrintable(QString::number(predicted)));
    }

    // A model that does not fit onto one device's two gathered layers is shared by the eight of a node.
    void fitsEveryModelWithOffload_data()
    {
        QTest::addColumn<int>("tensor");
        QTest::addRow("gpt-175b") << 1;
        QTest::addRow("gpt-530b") << 1;
        QTest::addRow("gpt-1t") << 4;
        QTest::addRow("gpt-2t") << 4;
    }
    void fitsEveryModelWithOffload()
    {
        QFETCH(int, tensor);
        RunSpec spec = offloadedRun(QTest::currentDataTag(), 1024, 8);
        spec.layout.tensor = tensor;
        spec.layout.data = 1024 / tensor;
        spec.layout.sequence = tensor > 1;
        spec.batch.micro = 8 * tensor;
        const NodeModel node = *nodePreset("ndm-a100-v4");
        const MemoryEstimate memory = estimateMemory(spec, {1024, 0});
        QVERIFY2(memory.onDevice() <= node.device.memory, formatBytes(memory.onDevice()).c_str());
        const Bytes offloaded = memory.total() - memory.onDevice();
        QVERIFY2(offloaded * 8 <= node.hostMemory, formatBytes(offloaded).c_str());
    }

    // SageMaker, 175B on 120 p4d.24xlarge: 32 sequences per second. Neither stages nor batch are published;
    // six stages keep a replica's memory well below 40 GB, and one sequence per device is a step of 27 s.
    void isCloseToSageMakerAt175B()
    {
        RunSpec spec;
        spec.model = *modelPreset("gpt-175b");
        spec.layout.tensor = 8;
        spec.layout.pipeline = 6;
        spec.layout.data = 20;
        spec.batch = {960, 2, 24};
        spec.precision.compute = ComputeType::Float16;
        spec.memory.zeroStage = 1;
        spec.memory.recompute = RecomputeKind::Full;
        const SequenceShape shape{2048, 0};
        const NodeModel node = *nodePreset("p4d.24xlarge");
        const double rate = 960 / StepModel::create(spec, shape, node)->estimate().seconds;
        QVERIFY2(std::abs(rate / 32 - 1) < 0.15, qPrintable(QString::number(rate)));
        QVERIFY(estimateMemory(spec, shape).onDevice() <= node.device.memory);
    }

    // DeepSpeed on Gaudi: throughput of one node measured, of more nodes predicted.
    void predictsScalingFromOneNode_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("oneNode"); // sequences per second
        QTest::addColumn<int>("accelerators");
        QTest::addColumn<double>("efficiency"); // percent
        for (const auto& [accelerators, efficiency] : {std::pair{16, 98.04}, {32, 95.88}, {64, 90.39}})
            QTest::addRow("Large on %d", accelerators)
                << "bert-large" << 1379.76 << accelerators << efficiency;
        for (const auto& [accelerators, efficiency] : {std::pair{64, 85.1}, {128, 82.7}})
            QTest::addRow("1.5B on %d", accelerators) << "bert-1.5b" << 276.66 << accelerators << efficiency;
    }
    void predictsScalingFromOneNode()
    {
        QFETCH(QString, model);
        QFETCH(double, oneNode);
        QFETCH(int, accelerators);
        QFETCH(double, efficiency);
        const QByteArray name = model.toUtf8();
        const RunSpec one = bertRun(name.constData(), 8);
        const StepModel node = bertModel(one);
        const TimeCoefficients scaled = scaledTo({&node, one.batch.global / oneNode});
        QVERIFY(std::abs(one.batch.global / node.estimate(scaled).seconds / oneNode - 1) < 1e-6);
        const RunSpec many = bertRun(name.constData(), accelerators);
        const double each = many.batch.global / bertModel(many).estimate(scaled).seconds / accelerators;
        const double predicted = 100 * each / (oneNode / 8);
        qInfo("%.2f %%, measured %.2f %%", predicted, efficiency);
        QVERIFY2(std::abs(predicted - efficiency) < 3, qPrintable(QString::number(predicted)));
    }
};

QTEST_APPLESS_MAIN(TestPublishedSystems)
#include "tst_published_systems.moc"
