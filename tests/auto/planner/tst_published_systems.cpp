#include <QTest>

#include <cmath>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/scaling/scaling_curve.h"
#include "engine/planner/time/step_model.h"
#include "engine/planner/time/step_stats.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

/// One of DeepSpeed's runs on 1024 devices: ZeRO 3 with optimizer and activations in host memory.
struct OffloadedRun {
    const char* model;
    int tensor; ///< the smallest degree with which it fits; not published
    int micro;  ///< sequences per device

    RunSpec spec() const;
};

RunSpec OffloadedRun::spec() const
{
    RunSpec run;
    run.model = *modelPreset(model);
    run.layout.tensor = tensor;
    run.layout.data = 1024 / tensor;
    run.layout.sequence = tensor > 1;
    run.batch = {micro * 1024, micro * tensor, 1};
    run.precision.compute = ComputeType::Float16;
    run.memory.zeroStage = 3;
    run.memory.recompute = RecomputeKind::Full;
    run.memory.offloadOptimizer = true;
    run.memory.offloadActivations = true;
    return run;
}

constexpr SequenceShape kOffloadedShape{1024, 0};

/// DeepSpeed's ZeRO 3 as of 2022: weights come matrix by matrix, are let go between recomputation and
/// backward pass where a layer has more than its reuse distance of 10^9, and gradients are float16. That
/// nothing of it was hidden shows in the published rates (docs/_posts/2022-07-26-deepspeed-azure.md there):
/// from micro-batch 1 to 16 the time of a step grows by the operations alone.
constexpr ProgramTraits deepSpeedProgram()
{
    return {.overlapsGathers = false, .gathersPerLayer = 4, .gathersForRecompute = true, .gradientBytes = 2};
}

/// Operations per second and device, recomputation included, in 10^12.
double deepSpeedRate(const RunSpec& spec)
{
    const NodeModel node = *nodePreset("ndm-a100-v4");
    const StepTime time = StepModel::create(spec, kOffloadedShape, node, deepSpeedProgram())->estimate();
    return stepStats(spec, kOffloadedShape, node.device.peak.of(spec.precision.compute), time.seconds)
               .hardwareRate /
           1e12;
}

bool fitsItsNode(const RunSpec& spec)
{
    const HostMemory host =
        onHardware({.host = "a", .ranks = 8}, *nodePreset("ndm-a100-v4"), DeviceKind::Auto);
    return host.holds(estimateMemory(spec, kOffloadedShape).need());
}

/// BERT of the first phase on a node of eight Gaudi. Large: 65,536 sequences a step however many
/// accelerators; 1.5B: 384 per accelerator, in micro-batches of 16.
RunSpec bertRun(std::string_view model)
{
    RunSpec spec;
    spec.model = *modelPreset(model);
    spec.layout.data = 8;
    spec.batch = model == "bert-large" ? BatchSpec{65536, 64, 128} : BatchSpec{384 * 8, 16, 24};
    spec.precision.compute = ComputeType::BFloat16;
    spec.memory.zeroStage = 1;
    return spec;
}

} // namespace

class TestPublishedSystems : public QObject {
    Q_OBJECT

private slots:
    // DeepSpeed on Azure, July 2022: bars read off its figures, to 2 TFLOP/s. What slowed the largest models
    // is not in the model: it takes them for up to 27 % faster than they were.
    void isCloseToDeepSpeedWithOffload_data()
    {
        QTest::addColumn<int>("micro");
        QTest::addColumn<QList<double>>("rates"); // of 175B, 530B, 1T, 2T; 0: not published
        QTest::addRow("micro-batch 1") << 1 << QList<double>{49, 65, 77, 0};
        QTest::addRow("micro-batch 2") << 2 << QList<double>{81, 104, 116, 0};
        QTest::addRow("micro-batch 4") << 4 << QList<double>{134, 144, 141, 0};
        QTest::addRow("micro-batch 8") << 8 << QList<double>{164, 171.37, 165.36, 157};
        QTest::addRow("micro-batch 16") << 16 << QList<double>{189, 0, 0, 0};
    }
    void isCloseToDeepSpeedWithOffload()
    {
        QFETCH(int, micro);
        QFETCH(QList<double>, rates);
        const std::vector<std::pair<const char*, int>> models{
            {"gpt-175b", 1}, {"gpt-530b", 2}, {"gpt-1t", 2}, {"gpt-2t", 4}};
        double sum = 0;
        for (std::size_t i = 0; i < models.size(); ++i) {
            const double published = rates[static_cast<qsizetype>(i)];
            if (published == 0)
                continue;
            const RunSpec spec = OffloadedRun{models[i].first, models[i].second, micro}.spec();
            QVERIFY2(fitsItsNode(spec), models[i].first);
            const double rate = deepSpeedRate(spec);
            qInfo("%s: %.1f TFLOP/s, published %.1f", models[i].first, rate, published);
            QVERIFY2(std::abs(rate / published - 1) < 0.28, models[i].first);
            sum += std::abs(rate / published - 1);
        }
        const auto count = static_cast<double>(rates.size() - rates.count(0));
        qInfo("mean %.1f %%", 100 * sum / count);
        QVERIFY(sum / count < 0.18);
    }

    // One degree of tensor parallelism less, and the two gathered layers of a device do not fit onto it.
    void needsTheDegreesThatItIsTimedWith()
    {
        for (const auto& [model, tensor] : {std::pair{"gpt-530b", 1}, {"gpt-1t", 1}, {"gpt-2t", 2}})
            QVERIFY2(!fitsItsNode(OffloadedRun{model, tensor, 8}.spec()), model);
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
        const RunSpec run = bertRun(model.toStdString());
        const Scaling scaling = model == "bert-large" ? Scaling::Strong : Scaling::Weak;
        const auto curve =
            scalingCurve(run, {128, 20}, *nodePreset("dl1.24xlarge"), {8, accelerators}, scaling, oneNode);
        QVERIFY(std::abs(curve->front().sequencesPerSecond / oneNode - 1) < 1e-6);
        const double predicted = 100 * curve->back().efficiency;
        qInfo("%.2f %%, measured %.2f %%", predicted, efficiency);
        QVERIFY2(std::abs(predicted - efficiency) < 3, qPrintable(QString::number(predicted)));
    }
};

QTEST_APPLESS_MAIN(TestPublishedSystems)
#include "tst_published_systems.moc"
