#include <QTest>

#include <array>
#include <csignal>

#include "datasets/shards/manifest.h"
#include "datasets/shards/shard_reader.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/planner/learning_rate_schedule.h"
#include "engine/records/flight_ring.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/auto/training/worker_process.h"
#include "tests/auto/training/worker_runs.h"
#include "tests/support/patience.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace fs = std::filesystem;

/// Runs of the real worker that go on: after a kill, in another phase, from other weights.
class TestWorkerRestarts : public QObject, private WorkerRuns {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(writeTinyDataset(root() / "data").ok()); }

    void goesOnWithAnotherLearningRate()
    {
        RunSpec spec = tinySpec(root() / "data", 1, ComputeType::Float64);
        const fs::path run = makeRun(spec);
        const QStringList train{"train", "--run-dir", QString::fromStdString(run.string())};
        const QString worker = TRAINYARD_BIN_DIR "/trainyard-worker";
        QCOMPARE(QProcess::execute(worker, train + QStringList{"--steps", "3"}), 0);
        QCOMPARE(QProcess::execute(worker, train + QStringList{"--steps", "5", "--attempt", "2",
                                                               "--learning-rate", "0.0001"}),
                 0);
        const LearningRateSchedule before(spec.optimizer, spec.launch.steps);
        spec.optimizer.learningRate = 0.0001;
        const LearningRateSchedule after(spec.optimizer, spec.launch.steps);
        const std::vector<StepRecord> steps = stepsOf(run);
        QCOMPARE(steps.size(), std::size_t(5));
        QCOMPARE(steps[2].learningRate, before.at(3));
        QCOMPARE(steps[3].learningRate, after.at(4));
    }

    void continuesTheCurveAfterKill9()
    {
        RunSpec spec = tinySpec(root() / "data", 2, ComputeType::Float64);
        spec.launch.steps = 100000; // killed long before
        spec.checkpoint.everySteps = 10;
        const fs::path whole = makeRun(spec);
        const fs::path broken = makeRun(spec);

        QProcess process;
        process.start("mpirun", WorkerLaunch{{{2, broken}}}.arguments());
        QVERIFY(waitFor([&] { return stepsOf(broken).size() >= 25; }));
        const FlightSnapshot ring = readFlightRing(flightRingPath(broken, 1)).value();
        QCOMPARE(::kill(ring.pid, SIGKILL), 0);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QVERIFY(process.exitCode() != 0);
        const int end = static_cast<int>(stepsOf(broken).size()) + 15;

        QCOMPARE(runWorkers({{{2, broken}}, 2, end}), 0);
        QCOMPARE(runWorkers({{{2, whole}}, 1, end}), 0);
        QCOMPARE(stepsOf(whole).size(), std::size_t(end));
        QCOMPARE(largestDifference(stepsOf(whole), stepsOf(broken)), 0.0);
    }

    /// Both phases of BERT's recipe on the shards that NVIDIA's scripts made of the excerpt; killed in the
    /// first phase, as the second one begins, and in the second one.
    void trainsInPhasesOnTheExcerptThroughKills()
    {
        NEEDS_REFERENCE(referenceShards(128));
        const RunSpec spec = twoPhases(adoptExcerpt(128, 20).value(), adoptExcerpt(512, 80).value());
        const fs::path whole = makeRun(spec);
        QCOMPARE(runWorkers({{{2, whole}}}), 0);
        QCOMPARE(stepsOf(whole).size(), std::size_t(2 * kPhaseSteps));

        const fs::path broken = makeRun(spec);
        const auto hasSteps = [&](int steps) { return [&, steps] { return newestStep(broken) >= steps; }; };
        QVERIFY(killedOnce(broken, 1, hasSteps(kPhaseSteps / 2)));
        QVERIFY(killedOnce(broken, 2, [&] { return hasBegunSecondPhase(broken); }));
        QVERIFY(killedOnce(broken, 3, hasSteps(kPhaseSteps * 3 / 2)));
        QCOMPARE(runWorkers({{{2, broken}}, 4}), 0);
        QCOMPARE(largestDifference(stepsOf(whole), stepsOf(broken)), 0.0);
        QCOMPARE(largestNormDifference(stepsOf(whole), stepsOf(broken)), 0.0);
        QCOMPARE(largestDifference(evaluationsOf(whole), evaluationsOf(broken)), 0.0);
    }

    void resumesWithoutASharedFileSystem()
    {
        const RunSpec spec = tinySpec(root() / "data", 2, ComputeType::Float64);
        const fs::path whole = makeRun(spec);
        const fs::path first = makeRun(spec);
        const fs::path second = makeRun(spec); // rank 1's own disk
        QCOMPARE(runWorkers({{{2, whole}}, 1, 20}), 0);
        QCOMPARE(runWorkers({{{1, first}, {1, second}}, 1, 8}), 0);
        QVERIFY(!fs::exists(second / "checkpoints"));
        QCOMPARE(runWorkers({{{1, first}, {1, second}}, 2, 20}), 0);
        QCOMPARE(largestDifference(stepsOf(whole), stepsOf(first)), 0.0);
    }

    void keepsCheckpointsOnTheDisksOfTwoHosts_data()
    {
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("pipeline");
        QTest::addRow("ZeRO 2") << 1 << 1;
        QTest::addRow("tensor 2") << 2 << 1;
        QTest::addRow("pipeline 2") << 1 << 2;
    }
    void keepsCheckpointsOnTheDisksOfTwoHosts()
    {
        QFETCH(int, tensor);
        QFETCH(int, pipeline);
        const bool isSharded = tensor * pipeline == 1;
        RunSpec spec = tinySpec(root() / "data", isSharded ? 2 : 1, ComputeType::Float64);
        spec.layout.tensor = tensor;
        spec.layout.pipeline = pipeline;
        spec.memory.zeroStage = isSharded ? 2 : 0;
        spec.cluster.nodes.front().slotCount = 2;
        const fs::path first = makeRun(spec);
        const fs::path second = makeRun(spec); // rank 1's own disk
        QCOMPARE(runWorkers({{{1, first}, {1, second}}, 1, 7}), 0);
        fs::remove_all(second / "checkpoints");
        QCOMPARE(runWorkers({{{1, first}, {1, second}}, 2, 9}), 0); // with a new disk
        QCOMPARE(firstStepOf(first, 2), std::int64_t(8));
        QCOMPARE(runWorkers({{{2, first}}, 3, 12}), 0); // both ranks on the first host
        QCOMPARE(firstStepOf(first, 3), std::int64_t(10));
        const double difference = largestDifference(stepsOfOneRank(ModelFamily::Bert, 12), stepsOf(first));
        qInfo("largest relative difference %.2e", difference);
        QVERIFY(difference < 1e-9);
    }

    void continuesTheCurveAfterKill9WithoutASharedFolder()
    {
        RunSpec spec = tinySpec(root() / "data", 2, ComputeType::Float64);
        spec.memory.zeroStage = 2;
        spec.launch.steps = 100000; // killed long before
        spec.checkpoint.everySteps = 5;
        const fs::path whole = makeRun(spec);
        const fs::path first = makeRun(spec);
        const fs::path second = makeRun(spec);
        for (const int attempt : {1, 2}) {
            QProcess process;
            process.start("mpirun", WorkerLaunch{{{1, first}, {1, second}}, attempt}.arguments());
            const std::size_t steps = stepsOf(first).size() + 23;
            QVERIFY(waitFor([&] { return stepsOf(first).size() >= steps; }));
            const int rank = attempt - 1;
            const fs::path host = rank == 0 ? first : second;
            QCOMPARE(::kill(readFlightRing(flightRingPath(host, rank)).value().pid, SIGKILL), 0);
            QVERIFY(process.waitForFinished(kPatienceMs));
            QVERIFY(process.exitCode() != 0);
        }
        const int end = static_cast<int>(stepsOf(first).size()) + 10;
        QCOMPARE(runWorkers({{{1, first}, {1, second}}, 3, end}), 0);
        QCOMPARE(runWorkers({{{2, whole}}, 1, end}), 0);
        QCOMPARE(stepsOf(whole).size(), std::size_t(end));
        QCOMPARE(largestDifference(stepsOf(whole), stepsOf(first)), 0.0);
    }

    // Written by 2 tensor ranks x 2 stages.

    void givesTheCurveOfOneRankFromWeightsOfAnotherLayout_data()
    {
        QTest::addColumn<bool>("optimizer");
        QTest::addRow("weights alone") << false;
        QTest::addRow("with the optimizer's state") << true;
    }
    void givesTheCurveOfOneRankFromWeightsOfAnotherLayout()
    {
        QFETCH(bool, optimizer);
        const auto begun = [&](int data, int tensor, int pipeline, int zeroStage) {
            RunSpec spec = tinySpec(root() / "data", data, ComputeType::Float64);
            spec.layout.tensor = tensor;
            spec.layout.pipeline = pipeline;
            spec.memory.zeroStage = zeroStage;
            spec.cluster.nodes.front().slotCount = data * tensor * pipeline;
            spec.init.path = weightsOfFourRanks().filename(); // its id: runs are beside each other
            spec.init.optimizer = optimizer;
            const fs::path run = makeRun(spec);
            return runWorkers({{{data * tensor * pipeline, run}}, 1, 12}) == 0 &&
                           hasEvent(run, "weights-loaded")
                       ? stepsOf(run)
                       : std::vector<StepRecord>();
        };
        const std::vector<StepRecord> alone = begun(1, 1, 1, 0);
        QCOMPARE(alone.size(), std::size_t(12));
        const std::array<std::pair<const char*, std::vector<StepRecord>>, 3> others{
            {{"2 data ranks, ZeRO 3", begun(2, 1, 1, 3)},
             {"2 tensor ranks x 2 stages, ZeRO 1", begun(1, 2, 2, 1)},
             {"2 data ranks x 2 tensor ranks", begun(2, 2, 1, 0)}}};
        for (const auto& [layout, curve] : others) {
            const double losses = largestDifference(alone, curve);
            const double norms = largestNormDifference(alone, curve);
            qInfo("%s: largest relative difference of losses %.2e, of gradient norms %.2e", layout, losses,
                  norms);
            QVERIFY(losses < 1e-9 && norms < 1e-9);
        }
    }

    void beginsWithWeightsThatOnlyTheFirstNodeHas()
    {
        const fs::path weights = weightsOfFourRanks();
        RunSpec spec = tinySpec(root() / "data", 2, ComputeType::Float64);
        spec.init.path = weights;
        const fs::path shared = makeRun(spec);
        QCOMPARE(runWorkers({{{2, shared}}, 1, 6}), 0);

        // Two "nodes", of which only the first one has the weights.
        fs::create_directories(root() / "blind");
        fs::create_directories(root() / "seeing");
        fs::create_directory_symlink(weights, root() / "seeing" / "weights");
        spec.init.path = "/proc/self/cwd/weights";
        const fs::path first = makeRun(spec);
        const fs::path second = makeRun(spec);
        QCOMPARE(runWorkers({{{1, first, root() / "seeing"}, {1, second, root() / "blind"}}, 1, 6}), 0);
        QCOMPARE(largestDifference(stepsOf(shared), stepsOf(first)), 0.0);
        // Tensor-parallel ranks cannot send each other what they lack.
        spec.layout.data = 1;
        spec.layout.tensor = 2;
        spec.batch = {8, 2, 4};
        const fs::path sliced = makeRun(spec);
        QCOMPARE(runWorkers({{{1, sliced, root() / "seeing"}, {1, sliced, root() / "blind"}}, 1, 6}), 2);
        const auto events = eventsOf(sliced);
        QVERIFY(!events.empty());
        QVERIFY2(events.back().message.find("only 1 of 2 ranks find the same weights") != std::string::npos,
                 events.back().message.c_str());
    }

private:
    /// A run of 2 tensor ranks x 2 stages of five steps, with another seed; the same for every test.
    fs::path weightsOfFourRanks()
    {
        if (m_weights.empty()) {
            RunSpec spec = tinySpec(root() / "data", 1, ComputeType::Float64);
            spec.seed = 7;
            spec.layout.tensor = 2;
            spec.layout.pipeline = 2;
            spec.memory.zeroStage = 1;
            spec.cluster.nodes.front().slotCount = 4;
            m_weights = makeRun(spec);
            if (runWorkers({{{4, m_weights}}, 1, 5}) != 0)
                return {};
        }
        return m_weights;
    }
    static constexpr int kPhaseSteps = 10;

    /// A data set folder with the reference shards of the excerpt.
    Result<fs::path> adoptExcerpt(int length, int predictions) const
    {
        const fs::path shards = referenceShards(length);
        const fs::path folder = root() / ("excerpt-" + std::to_string(length));
        TRAINYARD_TRY_STATUS(writeDataset(folder, {.length = length, .predictions = predictions}));
        Manifest manifest = Manifest::load(folder).value();
        manifest.vocabularySize = 30522;
        manifest.shards.clear();
        for (const bool training : {true, false}) {
            for (int number = 0; number < 2; ++number) {
                const std::string file = std::string("wikicorpus_en_") + (training ? "training_" : "test_") +
                                         std::to_string(number) + ".hdf5";
                fs::create_symlink(shards / file, folder / file);
                const auto rows = ShardReader::open(folder / file, length, predictions)->rows();
                manifest.shards.push_back({file, rows, sha256OfFile(folder / file).value(), training});
            }
        }
        TRAINYARD_TRY_STATUS(writeFileAtomically(folder / Manifest::kFileName, manifest.toJson()));
        return folder;
    }

    static RunSpec twoPhases(const fs::path& shortRows, const fs::path& longRows)
    {
        // In float32 each start chooses the faster of two libraries for its products.
        RunSpec spec = tinySpec(shortRows, 2, ComputeType::Float64);
        spec.model.vocabulary = 30522;
        spec.model.maxPositions = 512;
        spec.optimizer.kind = OptimizerKind::Lamb;
        spec.optimizer.schedule = ScheduleKind::Polynomial;
        spec.batch = {4, 2, 1}; // a head of 30522 words takes most of the time
        spec.evaluation.everySteps = 6;
        spec.evaluation.batches = 1;
        spec.checkpoint.everySteps = 4;
        spec.launch.steps = 2 * kPhaseSteps;
        PhaseSpec second{.name = "512", .steps = kPhaseSteps};
        second.dataset.path = longRows;
        second.batch = {2, 1, 1};
        second.optimizer.learningRate = 1e-3;
        second.named = {"dataset.path", "batch.global", "batch.micro", "batch.accumulation",
                        "optimizer.learning_rate"};
        spec.phases = {PhaseSpec{.name = "128", .steps = kPhaseSteps}, std::move(second)};
        return spec;
    }

    static std::int64_t newestStep(const fs::path& run)
    {
        const auto steps = stepsOf(run);
        return steps.empty() ? 0 : steps.back().step;
    }
    static bool hasBegunSecondPhase(const fs::path& run)
    {
        return std::ranges::any_of(eventsOf(run), [](const EventRecord& event) {
            return event.kind == "phase-started" && event.step == kPhaseSteps;
        });
    }
    /// Starts two ranks and kills one with SIGKILL as soon as the condition holds.
    static bool killedOnce(const fs::path& run, int attempt, const std::function<bool()>& condition)
    {
        QProcess process;
        process.start("mpirun", WorkerLaunch{{{2, run}}, attempt}.arguments());
        if (!waitFor(condition))
            return false;
        const FlightSnapshot ring = readFlightRing(flightRingPath(run, 1)).value();
        return ::kill(ring.pid, SIGKILL) == 0 && process.waitForFinished(kPatienceMs) &&
               process.exitCode() != 0;
    }

    fs::path m_weights;
};

QTEST_GUILESS_MAIN(TestWorkerRestarts)
#include "tst_worker_restarts.moc"
