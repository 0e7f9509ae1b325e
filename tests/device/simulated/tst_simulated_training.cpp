#include <QTemporaryDir>
#include <QTest>

#include "tests/auto/training/training_fixture.h"
#include "tests/device/simulated/train_simulated.h"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

struct SimulatedRun {
    const char* name;
    ModelFamily family = ModelFamily::Bert;
    ParallelLayout layout{};
    MemorySpec memory{};
    OptimizerKind optimizer = OptimizerKind::AdamW;
    ComputeType compute = ComputeType::Float64;
    double attentionDropout = 0.1;
};

std::vector<SimulatedRun> runs()
{
    using enum ModelFamily;
    using enum OptimizerKind;
    using enum ComputeType;
    using Schedule = PipelineScheduleKind;
    return {
        {"bert"},
        {"bert, lamb, fused attention", Bert, {}, {}, Lamb, Float64, 0.0},
        {"gpt, fused attention", Gpt, {}, {}, AdamW, Float64, 0.0},
        {"bert, bfloat16", Bert, {}, {}, AdamW, BFloat16},
        {"gpt, bfloat16, lamb", Gpt, {}, {}, Lamb, BFloat16},
        {"bert, full recomputation", Bert, {}, {.recompute = RecomputeKind::Full}},
        {"gpt, selective recomputation", Gpt, {}, {.recompute = RecomputeKind::Selective}},
        {"bert, activations offloaded", Bert, {}, {.offloadActivations = true}},
        {"gpt, optimizer offloaded", Gpt, {}, {.offloadOptimizer = true}},
        {"bert, all offloaded",
         Bert,
         {},
         {.zeroStage = 3, .offloadActivations = true, .offloadOptimizer = true, .offloadParameters = true}},
        {"bert, data 2", Bert, {.data = 2}},
        {"gpt, data 2, ZeRO 1, lamb", Gpt, {.data = 2}, {.zeroStage = 1}, Lamb},
        {"bert, data 2, ZeRO 2", Bert, {.data = 2}, {.zeroStage = 2}},
        {"gpt, data 2, ZeRO 3", Gpt, {.data = 2}, {.zeroStage = 3}},
        {"bert, data 2, ZeRO 3, parameters and optimizer offloaded",
         Bert,
         {.data = 2},
         {.zeroStage = 3, .offloadOptimizer = true, .offloadParameters = true}},
        {"bert, tensor 2, sequence", Bert, {.tensor = 2, .sequence = true}},
        {"gpt, context 2", Gpt, {.context = 2}},
        {"bert, 1f1b 2", Bert, {.pipeline = 2}},
        {"gpt, zero-bubble 2, tensor 2", Gpt, {.tensor = 2, .pipeline = 2, .schedule = Schedule::ZeroBubble}},
        {"bert, data 2, interleaved 2, ZeRO 1",
         Bert,
         {.data = 2, .pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2},
         {.zeroStage = 1}},
    };
}

RunSpec specOf(const SimulatedRun& run, const fs::path& dataset)
{
    RunSpec spec = tinySpec(dataset, 1, run.compute);
    spec.model.setFamily(run.family);
    spec.model.layers = 4;
    spec.model.attentionDropout = run.attentionDropout;
    spec.optimizer.kind = run.optimizer;
    spec.layout = run.layout;
    spec.layout.bucketSize = 64 * kKiB;
    spec.memory = run.memory;
    spec.batch = {8, 2, 4 / run.layout.data};
    spec.cluster.nodes.front().slotCount = run.layout.worldSize();
    spec.launch.steps = 4;
    spec.evaluation.everySteps = 2;
    return spec;
}

/// Relative, of losses over four steps.
double boundOf(ComputeType compute)
{
    return compute == ComputeType::Float64 ? 1e-9 : 2e-2;
}

std::string textOf(const Status& status)
{
    return status.ok() ? "" : status.error().text();
}

} // namespace

/// The whole trainer on simulated devices: what the host must not touch it does not touch, what has an order
/// on a device it orders, and it computes what the processor computes.
class TestSimulatedTraining : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(writeDataset(dataset(), {.testRows = 11}).ok()); }

    void trainsLikeTheProcessor_data()
    {
        QTest::addColumn<int>("number");
        int number = 0;
        for (const SimulatedRun& run : runs())
            QTest::addRow("%s", run.name) << number++;
    }
    void trainsLikeTheProcessor()
    {
        QFETCH(int, number);
        const SimulatedRun run = runs()[std::size_t(number)];
        const RunSpec spec = specOf(run, dataset());
        const fs::path expected = folder(), found = folder();
        QCOMPARE(
            textOf(trainAsThreads(
                expected, specOf({"", run.family, {}, {}, run.optimizer, run.compute, run.attentionDropout},
                                 dataset()))),
            std::string());
        QCOMPARE(textOf(trainOnSimulatedDevices(found, spec)), std::string());
        const double bound = boundOf(run.compute);
        QVERIFY(largestDifference(stepsOf(expected), stepsOf(found)) < bound);
        QVERIFY(largestNormDifference(stepsOf(expected), stepsOf(found)) < 10 * bound);
        QCOMPARE(evaluationsOf(found).size(), std::size_t(2));
        QVERIFY(largestDifference(evaluationsOf(expected).back().loss, evaluationsOf(found).back().loss) <
                bound);
    }

    void resumesFromItsCheckpointHereAndOnTheProcessor_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("onDevice");
        int number = 0;
        for (const SimulatedRun& run : runs()) {
            const bool tried = number == 0 || number == 9 || number == 13;
            if (tried) {
                QTest::addRow("%s, here", run.name) << number << true;
                QTest::addRow("%s, on the processor", run.name) << number << false;
            }
            ++number;
        }
    }
    void resumesFromItsCheckpointHereAndOnTheProcessor()
    {
        QFETCH(int, number);
        QFETCH(bool, onDevice);
        const RunSpec spec = specOf(runs()[std::size_t(number)], dataset());
        const fs::path whole = folder(), parts = folder();
        QCOMPARE(textOf(trainAsThreads(whole, spec)), std::string());
        TrainOptions first;
        first.lastStep = 2;
        QCOMPARE(textOf(trainOnSimulatedDevices(parts, spec, first)), std::string());
        TrainOptions second;
        second.attempt = 2;
        QCOMPARE(textOf(onDevice ? trainOnSimulatedDevices(parts, spec, second)
                                 : trainAsThreads(parts, spec, second)),
                 std::string());
        QCOMPARE(firstStepOf(parts, 2), std::int64_t(3));
        QVERIFY(largestDifference(stepsOf(whole), stepsOf(parts)) < 1e-9);
    }

    void countsTheMemoryOfTheDeviceByCategory()
    {
        const fs::path run = folder();
        QCOMPARE(textOf(trainOnSimulatedDevices(run, specOf(runs()[8], dataset()))), std::string());
        const RankStats figures = stepsOf(run).back().ranks.front();
        for (const auto category : {MemoryCategory::Weights, MemoryCategory::Gradients,
                                    MemoryCategory::Activations, MemoryCategory::Data})
            QVERIFY2(figures.peakMemory[std::size_t(category)] > 0, nameOf(category).data());
    }

private:
    static double largestDifference(double a, double b) { return std::abs(a - b) / std::abs(a); }
    static double largestDifference(const std::vector<StepRecord>& a, const std::vector<StepRecord>& b)
    {
        return trainyard::largestDifference(a, b);
    }

    fs::path dataset() const { return fs::path(m_folder.path().toStdString()) / "data"; }
    fs::path folder() { return fs::path(m_folder.path().toStdString()) / std::to_string(++m_folders); }

    QTemporaryDir m_folder;
    int m_folders = 0;
};

QTEST_APPLESS_MAIN(TestSimulatedTraining)
#include "tst_simulated_training.moc"
