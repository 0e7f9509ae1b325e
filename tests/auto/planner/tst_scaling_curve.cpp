#include <QTest>

#include <cmath>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/scaling/scaling_curve.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

RunSpec bertLarge(int micro)
{
    RunSpec spec;
    spec.model = *modelPreset("bert-large");
    spec.layout.data = 8;
    spec.batch = {65536, micro, 65536 / 8 / micro};
    spec.precision.compute = ComputeType::Float16;
    spec.optimizer.kind = OptimizerKind::Lamb;
    return spec;
}

const std::vector<int> kNodes{8, 16, 32, 64, 128, 256};

} // namespace

class TestScalingCurve : public QObject {
    Q_OBJECT

private slots:
    // NVIDIA, DeepLearningExamples, BERT for PyTorch: DGX A100 with 8 x 200 Gbit/s, 1 to 32 nodes; sequences
    // per second of the first phase: 4553, 9191, 18119, 35774, 70555, 138294.
    void scalesBertAsItsReferenceDoes()
    {
        const auto curve =
            scalingCurve(bertLarge(64), {128, 20}, *nodePreset("ndm-a100-v4"), kNodes, Scaling::Strong);
        QVERIFY(curve.ok());
        const QList<double> published{4553, 9191, 18119, 35774, 70555, 138294};
        for (std::size_t i = 0; i < curve->size(); ++i) {
            const double efficiency =
                published[static_cast<qsizetype>(i)] / published.front() * 8 / kNodes[i];
            const ScalingStep& step = (*curve)[i];
            qInfo("%d: %.0f seq/s, efficiency %.3f, published %.3f", step.ranks, step.sequencesPerSecond,
                  step.efficiency, efficiency);
            QVERIFY(std::abs(step.efficiency - efficiency) < 0.02);
            QVERIFY(std::abs(step.sequencesPerSecond / published[static_cast<qsizetype>(i)] - 1) < 0.06);
        }
    }

    void keepsTheWorkOfARankWhenItScalesWeakly()
    {
        RunSpec spec = bertLarge(16);
        spec.batch = {16 * 8 * 32, 16, 32};
        const auto curve =
            scalingCurve(spec, {128, 20}, *nodePreset("p3dn.24xlarge"), {8, 16, 64}, Scaling::Weak);
        QVERIFY(curve.ok());
        QCOMPARE(curve->front().efficiency, 1.0);
        for (std::size_t i = 1; i < curve->size(); ++i) {
            const ScalingStep& step = (*curve)[i];
            QCOMPARE(step.globalBatch, 16 * 32 * step.ranks);
            QVERIFY(step.efficiency < (*curve)[i - 1].efficiency);
            QVERIFY(step.sequencesPerSecond > (*curve)[i - 1].sequencesPerSecond);
        }
    }

    void refusesSizesThatDoNotDivide()
    {
        const NodeModel node = *nodePreset("ndm-a100-v4");
        RunSpec spec = bertLarge(64);
        QCOMPARE(scalingCurve(spec, {128, 20}, node, {8, 24}, Scaling::Strong).error().kind,
                 ErrorKind::Refused);
        QCOMPARE(scalingCurve(spec, {128, 20}, node, {1'000'000'000}, Scaling::Weak).error().kind,
                 ErrorKind::BadInput);
        spec.batch.accumulation = 1 << 20;
        QCOMPARE(scalingCurve(spec, {128, 20}, node, {1 << 16}, Scaling::Weak).error().kind,
                 ErrorKind::BadInput);
        spec.layout.tensor = 2;
        QCOMPARE(scalingCurve(spec, {128, 20}, node, {7}, Scaling::Weak).error().kind, ErrorKind::BadInput);
    }
};

QTEST_APPLESS_MAIN(TestScalingCurve)
#include "tst_scaling_curve.moc"
