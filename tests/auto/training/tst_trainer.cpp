#include "engine/comm/process_group.h"
#include "engine/comm/process_groups.h"
#include "engine/comm/threads_transport.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/records/journal.h"
#include "engine/spec/names.h"
#include "engine/training/replica.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

#include <ATen/Parallel.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <numeric>

using namespace trainyard;

namespace fs = std::filesystem;

class TestTrainer : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        QVERIFY(writeTinyDataset(dataset()).ok());
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void givesTheSameCurveOnAnyNumberOfRanks_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<double>("bound");
        // float64: only the order of sums differs. float32: rounding grows over 50 steps of AdamW. bfloat16:
        // each rank rounds the same activations the same way; gradients are added in float32.
        QTest::addRow("float64") << int(ComputeType::Float64) << 1e-9;
        QTest::addRow("float32") << int(ComputeType::Float32) << 1e-4;
        QTest::addRow("bfloat16") << int(ComputeType::BFloat16) << 2e-2;
    }
    void givesTheSameCurveOnAnyNumberOfRanks()
    {
        QFETCH(int, compute);
        QFETCH(double, bound);
        const auto one = curve(1, ComputeType(compute));
        QCOMPARE(one.size(), std::size_t(50));
        QVERIFY(one.back().loss < 0.95 * one.front().loss);
        for (const int ranks : {2, 4}) {
            const double difference = largestDifference(one, curve(ranks, ComputeType(compute)));
            qInfo("%d ranks: largest relative difference %.2e", ranks, difference);
            QVERIFY(difference < bound);
        }
    }

    void trainsADecoderOnTheSameRows()
    {
        RunSpec spec = tinySpec(dataset(), 1, ComputeType::Float64);
        spec.model.setFamily(ModelFamily::Gpt);
        QVERIFY(trainAsThreads(path("one"), spec).ok());
        const auto one = stepsOf(path("one"));
        QCOMPARE(one.front().nspLoss, 0.0);
        // At first every one of the 97 words is as likely; the rows count up in threes.
        QVERIFY(std::abs(one.front().loss - std::log(97.0)) < 0.3);
        QVERIFY(one.back().loss < 0.9 * one.front().loss);
        const std::vector<ParallelLayout> layouts{
            {.data = 4}, {.tensor = 2, .sequence = true}, {.pipeline = 2}};
        for (const ParallelLayout& layout : layouts) {
            init();
            spec.layout = layout;
            spec.memory.zeroStage = layout.data > 1 ? 2 : 0;
            spec.batch = {8, 2, 4 / layout.data};
            QVERIFY(trainAsThreads(path("shared"), spec).ok());
            QVERIFY(largestDifference(one, stepsOf(path("shared"))) < 1e-9);
        }
    }

    void resumesAsIfNothingHadHappened_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<int>("kind");
        for (const auto compute : {ComputeType::Float64, ComputeType::Float32, ComputeType::BFloat16}) {
            QTest::addRow("adamw %d", int(compute)) << int(compute) << int(OptimizerKind::AdamW);
            QTest::addRow("lamb %d", int(compute)) << int(compute) << int(OptimizerKind::Lamb);
        }
        QTest::addRow("lamb-paper") << int(ComputeType::Float32) << int(OptimizerKind::LambPaper);
        QTest::addRow("lans") << int(ComputeType::Float16) << int(OptimizerKind::Lans);
        QTest::addRow("sgd") << int(ComputeType::BFloat16) << int(OptimizerKind::Sgd);
    }
    void resumesAsIfNothingHadHappened()
    {
        QFETCH(int, compute);
        QFETCH(int, kind);
        RunSpec spec = tinySpec(dataset(), 2, ComputeType(compute));
        spec.optimizer.kind = OptimizerKind(kind);
        QVERIFY(trainAsThreads(path("whole"), spec, {1, 20}).ok());
        QVERIFY(trainAsThreads(path("broken"), spec, {1, 9}).ok());
        QVERIFY(trainAsThreads(path("broken"), spec, {2, 20}).ok());
        QCOMPARE(largestDifference(stepsOf(path("whole")), stepsOf(path("broken"))), 0.0);
    }

    void zeroStagesGiveTheSameCurve_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("stage");
        QTest::addColumn<double>("bound");
        for (const int stage : {1, 2, 3}) {
            for (const auto kind : {OptimizerKind::AdamW, OptimizerKind::Lamb}) {
                QTest::addRow("stage %d, %s, float64", stage, nameOf(kind).data())
                    << int(ComputeType::Float64) << int(kind) << stage << 1e-9;
                QTest::addRow("stage %d, %s, bfloat16", stage, nameOf(kind).data())
                    << int(ComputeType::BFloat16) << int(kind) << stage << 2e-2;
            }
        }
    }
    void zeroStagesGiveTheSameCurve()
    {
        QFETCH(int, compute);
        QFETCH(int, kind);
        QFETCH(int, stage);
        QFETCH(double, bound);
        RunSpec spec = tinySpec(dataset(), 1, ComputeType(compute));
        spec.optimizer.kind = OptimizerKind(kind);
        QVERIFY(trainAsThreads(path("one"), spec, {1, 20}).ok());
        for (const int ranks : {2, 4}) {
            RunSpec sharded = tinySpec(dataset(), ranks, ComputeType(compute));
            sharded.optimizer.kind = OptimizerKind(kind);
            sharded.memory.zeroStage = stage;
            const auto run = std::to_string(ranks) + "-ranks";
            const Status status = trainAsThreads(path(run.c_str()), sharded, {1, 20});
            QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
            const double losses = largestDifference(stepsOf(path("one")), stepsOf(path(run.c_str())));
            const double norms = largestNormDifference(stepsOf(path("one")), stepsOf(path(run.c_str())));
            qInfo("%d ranks: losses differ by %.2e, gradient norms by %.2e", ranks, losses, norms);
            QVERIFY(losses < bound && norms < 10 * bound);
        }
    }

    void loadsACheckpointInAnyLayout()
    {
        const auto layouts = {std::pair{1, 0}, {2, 0}, {4, 1}, {2, 2}, {4, 3}};
        const auto whole = curve(1, ComputeType::Float64);
        for (const auto& [saveRanks, saveStage] : layouts) {
            for (const auto& [loadRanks, loadStage] : layouts) {
                init();
                RunSpec saved = tinySpec(dataset(), saveRanks, ComputeType::Float64);
                saved.memory.zeroStage = saveStage;
                RunSpec loaded = tinySpec(dataset(), loadRanks, ComputeType::Float64);
                loaded.memory.zeroStage = loadStage;
                QVERIFY(trainAsThreads(path("run"), saved, {1, 4}).ok());
                QVERIFY(trainAsThreads(path("run"), loaded, {2, 10}).ok());
                const auto steps = stepsOf(path("run"));
                const double difference = largestDifference({whole.begin(), whole.begin() + 10}, steps);
                QVERIFY2(difference < 1e-9, qPrintable(QString("%1 ranks, ZeRO %2 -> %3 ranks, ZeRO %4: %5")
                                                           .arg(saveRanks)
                                                           .arg(saveStage)
                                                           .arg(loadRanks)
                                                           .arg(loadStage)
                                                           .arg(difference)));
            }
        }
    }

    void resumesOnAnotherNumberOfRanks()
    {
        QVERIFY(trainAsThreads(path("run"), tinySpec(dataset(), 4, ComputeType::Float64), {1, 11}).ok());
        QVERIFY(trainAsThreads(path("run"), tinySpec(dataset(), 2, ComputeType::Float64), {2, 50}).ok());
        QVERIFY(largestDifference(curve(1, ComputeType::Float64), stepsOf(path("run"))) < 1e-9);
    }

    void recordsWhatEveryRankDid()
    {
        const RunSpec spec = tinySpec(dataset(), 2, ComputeType::Float64);
        QVERIFY(trainAsThreads(path("run"), spec, {1, 3}).ok());
        const auto steps = stepsOf(path("run"));
        QCOMPARE(steps.size(), std::size_t(3));
        const StepRecord& last = steps.back();
        QCOMPARE(last.consumedSamples, std::int64_t(24));
        QCOMPARE(last.sequences, std::int64_t(8));
        QVERIFY(last.tokens > 8 * 12 && last.tokens <= 8 * 32);
        QCOMPARE(last.loss, last.mlmLoss + last.nspLoss);
        QVERIFY(last.gradientNorm > 0 && last.learningRate > 0 && last.stepSeconds > 0);
        QCOMPARE(last.ranks.size(), std::size_t(2));
        for (const RankStats& rank : last.ranks) {
            QVERIFY(rank.residentSet > rank.peakTotal);
            QVERIFY(rank.seconds[std::size_t(StepPhase::Forward)] > 0);
            QVERIFY(rank.seconds[std::size_t(StepPhase::Backward)] > 0);
        }
        QVERIFY(hasEvent(path("run"), "checkpoint-published"));
        QVERIFY(hasEvent(path("run"), "training-finished"));
    }

    void tellsWhatEveryRankWaitedFor_data()
    {
        QTest::addColumn<ParallelLayout>("layout");
        QTest::addColumn<MemorySpec>("memory");
        QTest::addColumn<QList<StepPhase>>("waits");
        QTest::addRow("one rank") << ParallelLayout{} << MemorySpec{} << QList<StepPhase>{};
        QTest::addRow("ZeRO 3") << ParallelLayout{.data = 2} << MemorySpec{.zeroStage = 3}
                                << QList<StepPhase>{};
        QTest::addRow("tensor") << ParallelLayout{.tensor = 2} << MemorySpec{} << QList{StepPhase::Tensor};
        QTest::addRow("context") << ParallelLayout{.context = 2} << MemorySpec{} << QList{StepPhase::Context};
        QTest::addRow("pipeline") << ParallelLayout{.pipeline = 2} << MemorySpec{}
                                  << QList{StepPhase::Transfers, StepPhase::Bubble};
        QTest::addRow("offload") << ParallelLayout{} << MemorySpec{.offloadActivations = true}
                                 << QList{StepPhase::Offload};
    }
    void tellsWhatEveryRankWaitedFor()
    {
        QFETCH(ParallelLayout, layout);
        QFETCH(MemorySpec, memory);
        QFETCH(QList<StepPhase>, waits);
        RunSpec spec = tinySpec(dataset(), 1, ComputeType::Float32);
        spec.layout = layout;
        spec.memory = memory;
        spec.batch = {8, 2, 4 / layout.data};
        QVERIFY(trainAsThreads(path("run"), spec, {1, 2}).ok());
        for (const RankStats& rank : stepsOf(path("run")).back().ranks) {
            const auto seconds = [&](StepPhase phase) { return rank.seconds[std::size_t(phase)]; };
            QVERIFY(seconds(StepPhase::Forward) > 0);
            QVERIFY(seconds(StepPhase::Backward) > 0);
            QVERIFY(seconds(StepPhase::Reduce) > 0); // all ranks agree
            for (const StepPhase phase : {StepPhase::Tensor, StepPhase::Context, StepPhase::Transfers,
                                          StepPhase::Bubble, StepPhase::Offload}) {
                const bool isExpected = waits.contains(phase);
                QVERIFY2((seconds(phase) > 0) == isExpected, nameOf(phase).data());
            }
        }
    }

    void recordsWhatEachExpertGot_data()
    {
        QTest::addColumn<ParallelLayout>("layout");
        QTest::addColumn<MemorySpec>("memory");
        QTest::addRow("recomputed, of two stages") << ParallelLayout{.data = 2, .pipeline = 2, .expert = 2}
                                                   << MemorySpec{.recompute = RecomputeKind::Full};
        QTest::addRow("among tensor-parallel ranks")
            << ParallelLayout{.data = 2, .tensor = 2, .expert = 2, .sequence = true} << MemorySpec{};
    }
    void recordsWhatEachExpertGot()
    {
        QFETCH(ParallelLayout, layout);
        QFETCH(MemorySpec, memory);
        const fs::path withTestRows = path("with-test-rows");
        QVERIFY(writeDataset(withTestRows, {.testRows = 8}).ok());
        RunSpec spec = tinySpec(withTestRows, 1, ComputeType::Float64);
        spec.model.setFamily(ModelFamily::Mixtral);
        spec.model.layers = 4;
        spec.model.experts = {.count = 4, .perToken = 2, .every = 2};
        spec.launch.steps = 10;
        spec.evaluation.everySteps = 1; // whose tokens do not count
        const std::vector<ExpertLoad> ofOneRank = loadsOf(spec);
        QCOMPARE(ofOneRank.size(), std::size_t(2));
        QCOMPARE(ofOneRank.back().step, 10);
        QCOMPARE(ofOneRank.back().layers, (std::vector<std::int32_t>{1, 3}));
        for (std::size_t layer = 0; layer < 2; ++layer) {
            const auto pairs = ofOneRank.back().ofLayer(layer);
            QCOMPARE(std::accumulate(pairs.begin(), pairs.end(), 0U), 8U * 32U * 2U);
        }
        spec.layout = layout;
        spec.memory = memory;
        spec.batch = {8, 2, 4 / layout.data};
        QVERIFY(loadsOf(spec) == ofOneRank); // routers choose alike in every layout
    }

    void countsWeightsGradientsAndOptimizerToTheByte_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<int>("weightBytes");
        QTest::addColumn<int>("masterBytes");
        QTest::addRow("float64") << int(ComputeType::Float64) << 8 << 8;
        QTest::addRow("float32") << int(ComputeType::Float32) << 4 << 4;
        QTest::addRow("bfloat16") << int(ComputeType::BFloat16) << 4 + 2 << 4;
        QTest::addRow("float16") << int(ComputeType::Float16) << 4 + 2 << 4;
    }
    void countsWeightsGradientsAndOptimizerToTheByte()
    {
        QFETCH(int, compute);
        QFETCH(int, weightBytes);
        QFETCH(int, masterBytes);
        const RunSpec spec = tinySpec(dataset(), 1, ComputeType(compute));
        Bytes flat = 0;
        Bytes count = 0;
        Bytes state = 0;
        {
            std::optional<std::int64_t> parameters;
            runRanksAsThreads(1, [&](GroupMaker& maker) {
                const auto world = maker.makeWorld();
                const auto groups = makeProcessGroups(maker, *world, RankGrid::create(spec.layout).value());
                const auto replica = Replica::create(spec, {}, groups).value();
                ModelChunk& chunk = *replica->chunks().front();
                flat = Bytes(chunk.parameters().layout().flatCount());
                for (const StateTensor& tensor : chunk.optimizer().state())
                    state += tensor.value.nbytes();
                parameters = chunk.parameters().parameterCount();
            });
            count = Bytes(*parameters);
            QCOMPARE(state, 2 * count * Bytes(masterBytes));
        }
        QVERIFY(trainAsThreads(path("run"), spec, {1, 2}).ok());
        const MemoryByCategory peak = stepsOf(path("run")).back().ranks.front().peakMemory;
        QCOMPARE(peak[std::size_t(MemoryCategory::Weights)], flat * Bytes(weightBytes));
        QCOMPARE(peak[std::size_t(MemoryCategory::Gradients)], flat * Bytes(masterBytes));
        QVERIFY(peak[std::size_t(MemoryCategory::Optimizer)] >= state);
        QVERIFY(peak[std::size_t(MemoryCategory::Activations)] > 0);
        QVERIFY(peak[std::size_t(MemoryCategory::Data)] > 0);

        const MemoryByCategory planned = estimateMemory(spec, {}).bytes;
        for (const auto category : {MemoryCategory::Weights, MemoryCategory::Gradients})
            QCOMPARE(planned[std::size_t(category)], peak[std::size_t(category)]);
        QCOMPARE(planned[std::size_t(MemoryCategory::Optimizer)], state);
    }

    void stopsWhenAskedAndLeavesACheckpoint()
    {
        const RunSpec spec = tinySpec(dataset(), 2, ComputeType::Float64);
        fs::create_directories(path("run") / "control");
        std::ofstream(path("run") / "control" / "stop").close();
        const Status stopped = trainAsThreads(path("run"), spec);
        QVERIFY(!stopped.ok());
        QCOMPARE(stopped.error().kind, ErrorKind::Cancelled);
        QCOMPARE(stepsOf(path("run")).size(), std::size_t(1));
        QVERIFY(fs::exists(path("run") / "checkpoints" / "latest"));
        fs::remove(path("run") / "control" / "stop");
        QVERIFY(trainAsThreads(path("run"), spec, {2, 5}).ok());
        QCOMPARE(stepsOf(path("run")).size(), std::size_t(5));
    }

    void publishesACheckpointWhenAsked()
    {
        RunSpec spec = tinySpec(dataset(), 2, ComputeType::Float64);
        fs::create_directories(path("run") / "control");
        std::ofstream(path("run") / "control" / "checkpoint").close();
        QVERIFY(trainAsThreads(path("run"), spec, {1, 3}).ok());
        QVERIFY(!fs::exists(path("run") / "control" / "checkpoint"));
        QVERIFY(fs::exists(path("run") / "checkpoints" / "step-000000001"));
    }

    void aCheckpointThatFailsStandsInTheWayOfNoneAfterIt()
    {
        RunSpec spec = tinySpec(dataset(), 2, ComputeType::Float64);
        spec.checkpoint.everySteps = 2;
        const fs::path checkpoints = path("run") / "checkpoints";
        fs::create_directories(checkpoints);
        fs::create_symlink("nowhere", checkpoints / "step-000000002"); // no folder can take its place
        const Status trained = trainAsThreads(path("run"), spec, {1, 3});
        QVERIFY2(trained.ok(), trained.ok() ? "" : trained.error().text().c_str());
        QVERIFY(fs::exists(checkpoints / "step-000000003"));
        const auto events = eventsOf(path("run"));
        const auto failure = std::ranges::find(events, "checkpoint-failed", &EventRecord::kind);
        QVERIFY(failure != events.end());
        QVERIFY2(failure->message.find("checkpoint of step 2:") != std::string::npos,
                 failure->message.c_str());
    }

    void endsOnAllRanksWhenTheLossIsNotFinite()
    {
        RunSpec spec = tinySpec(dataset(), 2, ComputeType::Float32);
        spec.optimizer.learningRate = 1e38;
        spec.optimizer.warmupSteps = 0;
        const Status status = trainAsThreads(path("run"), spec);
        QVERIFY(!status.ok());
        QCOMPARE(status.error().kind, ErrorKind::Failed);
        QVERIFY2(status.error().message.find("of step ") != std::string::npos,
                 status.error().message.c_str());
        QVERIFY(hasEvent(path("run"), "not-finite"));
    }

    void leavesNoCheckpointWhereItOnlyMeasures()
    {
        RunSpec spec = tinySpec(dataset(), 1, ComputeType::Float32);
        spec.checkpoint.everySteps = 2;
        std::vector<std::int64_t> seen;
        runRanksAsThreads(1, [&](GroupMaker& maker) {
            const auto world = maker.makeWorld();
            const auto trainer =
                Trainer::create({.spec = spec,
                                 .directory = RunDirectory(path("run")),
                                 .maker = maker,
                                 .world = *world,
                                 .memory = AccountingAllocator::install(),
                                 .lastStep = 3,
                                 .savesCheckpoints = false,
                                 .afterStep = [&](Step step) { seen.push_back(step.value); }});
            QVERIFY(trainer.ok() && (*trainer)->run().ok());
        });
        QCOMPARE(seen, (std::vector<std::int64_t>{1, 2, 3}));
        QVERIFY(!fs::exists(path("run") / "checkpoints" / "latest"));
    }

    void refusesAnotherWorldSize()
    {
        RunSpec spec = tinySpec(dataset(), 2, ComputeType::Float32);
        spec.layout.data = 1;
        std::atomic<int> told = 0;
        runRanksAsThreads(2, [&](GroupMaker& maker) {
            const auto world = maker.makeWorld();
            const auto trainer = Trainer::create({.spec = spec,
                                                  .directory = RunDirectory(path("run")),
                                                  .maker = maker,
                                                  .world = *world,
                                                  .memory = AccountingAllocator::install()});
            told += !trainer.ok() && trainer.error().kind == ErrorKind::BadInput;
        });
        QCOMPARE(told.load(), 2);
    }

    void refusesTheCheckpointOfAnotherModel()
    {
        RunSpec spec = tinySpec(dataset(), 1, ComputeType::Float32);
        QVERIFY(trainAsThreads(path("run"), spec, {1, 1}).ok());
        spec.model.layers = 1;
        const Status status = trainAsThreads(path("run"), spec, {2, 2});
        QVERIFY(!status.ok());
        QCOMPARE(status.error().kind, ErrorKind::Refused);
        QVERIFY(status.error().message.find("a different model") != std::string::npos);
    }

private:
    std::vector<ExpertLoad> loadsOf(const RunSpec& spec)
    {
        std::vector<ExpertLoad> loads;
        if (const Status status = trainAsThreads(path("loads"), spec, {1, spec.launch.steps}); !status.ok()) {
            qWarning("%s", status.error().text().c_str());
            return loads;
        }
        for (const Record& record : readJournal(path("loads") / "journal" / "steps").value().records) {
            if (const auto* load = std::get_if<ExpertLoad>(&record.payload))
                loads.push_back(*load);
        }
        return loads;
    }

    fs::path dataset() const { return fs::path(m_data.path().toStdString()) / "data"; }
    fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }

    static bool hasEvent(const fs::path& directory, const std::string& kind)
    {
        const auto events = eventsOf(directory);
        return std::any_of(events.begin(), events.end(),
                           [&](const EventRecord& event) { return event.kind == kind; });
    }

    /// 50 steps on so many ranks.
    std::vector<StepRecord> curve(int ranks, ComputeType compute) const
    {
        const QTemporaryDir folder;
        const fs::path directory = folder.path().toStdString();
        if (!trainAsThreads(directory, tinySpec(dataset(), ranks, compute)).ok())
            return {};
        return stepsOf(directory);
    }

    QTemporaryDir m_data;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestTrainer)
#include "tst_trainer.moc"
