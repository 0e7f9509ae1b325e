#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

#include <QFile>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/scaling/published_curve.h"
#include "engine/planner/scaling/scaling_curve.h"
#include "engine/planner/scaling/studied_phase.h"
#include "engine/spec/presets.h"
#include "engine/spec/validate.h"

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

const PublishedCurve& published(const std::string& name)
{
    const auto& all = publishedCurves();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const PublishedCurve& curve) { return curve.name == name; });
    if (found == all.end())
        qFatal("no published curve %s", name.c_str());
    return *found;
}

std::vector<ScalingStep> predicted(const PublishedCurve& curve)
{
    std::vector<int> sizes;
    for (const PublishedPoint& point : curve.points)
        sizes.push_back(point.devices);
    return scalingCurve(curve.run, curve.shape, *nodePreset(curve.hardware), sizes, curve.scaling).value();
}

} // namespace

class TestScalingCurve : public QObject {
    Q_OBJECT

private slots:
    // Nodes of 8 A100 with 8 x 200 Gbit/s.
    void scalesAsPublished_data()
    {
        QTest::addColumn<double>("efficiency"); // at most so far off
        QTest::addColumn<double>("throughput"); // as a share
        QTest::addRow("dgx-bert-large-128") << 0.02 << 0.06;
        QTest::addRow("megatron-gpt-175b") << 0.03 << 0.06;
        QTest::addRow("megatron-gpt-530b") << 0.03 << 0.06;
    }
    void scalesAsPublished()
    {
        QFETCH(double, efficiency);
        QFETCH(double, throughput);
        const PublishedCurve& reference = published(QTest::currentDataTag());
        const std::vector<ScalingStep> curve = predicted(reference);
        for (std::size_t i = 0; i < curve.size(); ++i) {
            const PublishedPoint& point = reference.points[i];
            const ScalingStep& step = curve[i];
            qInfo("%d: %.4g seq/s, efficiency %.3f, published %.3f", step.ranks, step.sequencesPerSecond,
                  step.efficiency, point.efficiency);
            QVERIFY(std::abs(step.efficiency - point.efficiency) < efficiency);
            QVERIFY(std::abs(step.sequencesPerSecond / point.sequencesPerSecond - 1) < throughput);
        }
    }

    void predictsEveryPublishedSize()
    {
        for (const PublishedCurve& curve : publishedCurves()) {
            const std::vector<ScalingStep> steps = predicted(curve);
            QCOMPARE(steps.size(), curve.points.size());
            QCOMPARE(curve.run.layout.worldSize(), curve.points.front().devices);
            QVERIFY(!curve.title.empty() && !curve.source.empty());
        }
    }

    // None of these was used to fit anything.
    void plansPublishedLlamasWithinFifteenPercentOnAverage()
    {
        double sum = 0;
        int count = 0;
        for (const PublishedCurve& curve : publishedCurves()) {
            if (!curve.name.starts_with("torchtitan-"))
                continue;
            const std::vector<ScalingStep> steps = predicted(curve);
            for (std::size_t i = 0; i < steps.size(); ++i) {
                const double error = steps[i].sequencesPerSecond / curve.points[i].sequencesPerSecond - 1;
                qInfo("%s, %d devices: %+.1f %%", curve.name.c_str(), steps[i].ranks, 100 * error);
                sum += std::abs(error);
                ++count;
            }
        }
        QCOMPARE(count, 6);
        QVERIFY(sum / count <= 0.15);
    }

    // The efficiencies that were published beside the throughputs.
    void findsThePublishedEfficiency_data()
    {
        QTest::addColumn<std::size_t>("point");
        QTest::addColumn<double>("percent");
        QTest::addRow("gaudi-bert-large") << std::size_t{1} << 98.04;
        QTest::addRow("gaudi-bert-large") << std::size_t{2} << 95.88;
        QTest::addRow("gaudi-bert-large") << std::size_t{3} << 90.39;
        QTest::addRow("gaudi-bert-1.5b") << std::size_t{1} << 85.1;
        QTest::addRow("gaudi-bert-1.5b") << std::size_t{2} << 82.7;
        QTest::addRow("dgx-bert-large-128") << std::size_t{5} << 100 * 30.37 / 32;
        QTest::addRow("dgx-bert-large-512") << std::size_t{5} << 100 * 30.13 / 32;
    }
    void findsThePublishedEfficiency()
    {
        QFETCH(std::size_t, point);
        QFETCH(double, percent);
        const double found = 100 * published(QTest::currentDataTag()).points[point].efficiency;
        QVERIFY2(std::abs(found - percent) < 0.1, qPrintable(QString::number(found)));
    }

    // 153 TFLOP/s on 384 devices, 96 B L s h^2 (1 + s/6h + V/16Lh) operations for 1536 sequences
    // (arXiv:2104.04473, equation 3): a step of 43.5 s.
    void turnsOperationsIntoSequences()
    {
        const double operations = 96.0 * 1536 * 96 * 2048 * 12288 * 12288 *
                                  (1 + 2048 / (6.0 * 12288) + 51200 / (16.0 * 96 * 12288));
        const double seconds = operations / (384 * 1.53e14);
        const PublishedPoint& point = published("megatron-gpt-175b").points.front();
        QVERIFY(std::abs(point.sequencesPerSecond * seconds / 1536 - 1) < 1e-3);
    }

    void findsThePublishedCurvesOfAModel()
    {
        QCOMPARE(publishedCurvesOf(*modelPreset("bert-large")).size(), std::size_t{3});
        QCOMPARE(publishedCurvesOf(*modelPreset("bert-tiny")).size(), std::size_t{0});
        QCOMPARE(publishedCurvesOf(*modelPreset("bert-1.5b")).size(), std::size_t{1});
        QCOMPARE(publishedCurvesOf(*modelPreset("gpt2-xl")).size(), std::size_t{0}); // the same numbers
    }

    void saysWhatIsWrongWithAPublishedFile_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("path");
        QTest::addRow("no JSON") << QByteArray("{") << QByteArray("") << "";
        QTest::addRow("unknown key") << QByteArray("\"title\"") << QByteArray("\"titel\"") << "titel";
        QTest::addRow("unknown scaling") << QByteArray("weak") << QByteArray("weakly") << "scaling";
        QTest::addRow("wrong run") << QByteArray("\"micro\"") << QByteArray("\"mikro\"") << "run.batch.mikro";
        QTest::addRow("no devices") << QByteArray(": 64,") << QByteArray(": 0,") << "points[1].devices";
        QTest::addRow("no throughput") << QByteArray("3659.15") << QByteArray("0") << "points[2].devices";
        QTest::addRow("not in order") << QByteArray(": 64,") << QByteArray(": 640,") << "points";
    }
    void saysWhatIsWrongWithAPublishedFile()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, path);
        QFile file(TRAINYARD_SOURCE_DIR "/resources/presets/published/gaudi-bert-1.5b.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray text = file.readAll();
        QVERIFY(parsePublished(text.toStdString()).diagnostics.empty());
        text.replace(text.indexOf(from), from.size(), to);
        const Diagnostics found = parsePublished(text.toStdString()).diagnostics;
        QVERIFY(!found.empty());
        QCOMPARE(QString::fromStdString(found.front().path), path);
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

    void findsTheSizesThatDivide()
    {
        const NodeModel node = *nodePreset("ndm-a100-v4");
        RunSpec spec = bertLarge(64); // 65536 sequences = 64 x 1024
        QCOMPARE(sizesInNodes(spec, node, 16, Scaling::Strong), (std::vector<int>{8, 16, 32, 64, 128}));
        QCOMPARE(sizesInNodes(spec, node, 512, Scaling::Strong).back(), 1024);
        spec.layout.pipeline = 12; // a copy of the model on 12 devices: two nodes, not whole copies
        QVERIFY(sizesInNodes(spec, node, 2, Scaling::Weak).empty());
        spec.layout.tensor = 4; // six nodes
        QCOMPARE(sizesInNodes(spec, node, 16, Scaling::Weak), (std::vector<int>{48, 96}));
        QCOMPARE(sizesInNodes(spec, node, std::numeric_limits<int>::max(), Scaling::Weak).back(), 49152);
    }

    /// A target of the whole run is none of its first phase.
    void studiesOnePhaseAtItsFullBatch()
    {
        RunSpec run = bertLarge(16);
        run.dataset.path = "/data";
        run.cluster.nodes = {NodeSpec{.host = "node", .slotCount = 16}};
        run.evaluation.target = 2.5;
        QVERIFY(studyNotes(run).empty());
        QCOMPARE(studiedPhase(run).evaluation.target, 2.5);
        run.batch.ramp = {8192, 8192, 1 << 20};
        PhaseSpec longer{.name = "long", .steps = 40};
        longer.batch.global = 32768;
        longer.batch.accumulation = 256;
        longer.named = {"batch.global", "batch.accumulation"};
        run.phases = {PhaseSpec{.steps = 60}, longer};
        run.launch.steps = 100;
        QCOMPARE(studyNotes(run),
                 (std::vector<std::string>{
                     "measures phase 1 of 2 only",
                     "measures the full global batch of 65536, without batch.ramp from 8192"}));
        QCOMPARE(studyNotes(run, 1).front(), "measures phase 2 of 2 only");
        QCOMPARE(studiedPhase(run, 1).evaluation.target, 2.5);
        const RunSpec copy = scaledCopy(run, 16, Scaling::Strong).value();
        QVERIFY(validate(copy).empty());
        QVERIFY(copy.phases.empty());
        QCOMPARE(copy.launch.steps, 60);
        QCOMPARE(copy.batch.accumulation, 65536 / 16 / 16);
        QVERIFY(!copy.batch.ramp.isOn());
        QCOMPARE(copy.evaluation.target, 0.0);
    }

    void findsWhereEfficiencyFalls()
    {
        const NodeModel node = *nodePreset("p3dn.24xlarge");
        const std::vector<ScalingStep> curve =
            scalingCurve(bertLarge(16), {128, 20}, node, {8, 16, 64, 256, 1024}, Scaling::Strong).value();
        QVERIFY(firstBelow(curve, 0) == curve.end());
        const double middle = (curve[2].efficiency + curve[3].efficiency) / 2;
        QCOMPARE(firstBelow(curve, middle)->ranks, 256);
    }

    // Nodes are paid whole: per sequence a less efficient size is dearer by as much.
    void knowsWhatEachSizeCosts()
    {
        const NodeModel node = *nodePreset("p3dn.24xlarge");
        const std::vector<ScalingStep> curve =
            scalingCurve(bertLarge(16), {128, 20}, node, {8, 64}, Scaling::Strong).value();
        for (const ScalingStep& step : curve) {
            const double seconds = 1e6 / step.sequencesPerSecond;
            QVERIFY(std::abs(step.costPerMillionSequences /
                                 (seconds / 3600 * step.ranks / 8 * node.price.perHour) -
                             1) < 1e-9);
        }
        QVERIFY(curve[1].costPerMillionSequences > curve[0].costPerMillionSequences);
    }

    // Devices that take twice as long hide more of what their links take as ever.
    void beginsWithWhatWasMeasured()
    {
        const NodeModel node = *nodePreset("p3dn.24xlarge");
        const auto curveFrom = [&](std::optional<double> measured) {
            return scalingCurve(bertLarge(16), {128, 20}, node, {8, 64}, Scaling::Strong, measured);
        };
        const auto described = curveFrom({});
        const double half = described->front().sequencesPerSecond / 2;
        const auto slower = curveFrom(half);
        QVERIFY(std::abs(slower->front().sequencesPerSecond / half - 1) < 1e-6);
        QVERIFY(slower->back().efficiency > described->back().efficiency);
        QCOMPARE(curveFrom(1e9).error().kind, ErrorKind::Refused);
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
