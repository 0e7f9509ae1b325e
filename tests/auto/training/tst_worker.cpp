#include <QTest>

#include <csignal>

#include "engine/base/file.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/memory/rank_states.h"
#include "engine/records/flight_ring.h"
#include "engine/records/flight_verdict.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/auto/training/worker_process.h"
#include "tests/auto/training/worker_runs.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace fs = std::filesystem;

/// The real worker under the real mpirun.
class TestWorker : public QObject, private WorkerRuns {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(writeTinyDataset(root() / "data").ok()); }

    void givesTheSameCurveOnAnyNumberOfRanks_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<double>("bound");
        QTest::addRow("float64") << int(ComputeType::Float64) << 1e-9; // only the order of sums differs
        QTest::addRow("float32") << int(ComputeType::Float32)
                                 << 1e-4; // rounding, grown over 50 steps of AdamW
    }
    void givesTheSameCurveOnAnyNumberOfRanks()
    {
        QFETCH(int, compute);
        QFETCH(double, bound);
        std::map<int, std::vector<StepRecord>> curves;
        for (const int ranks : {1, 2, 4}) {
            const fs::path run = makeRun(tinySpec(root() / "data", ranks, ComputeType(compute)));
            QCOMPARE(runWorkers({{{ranks, run}}}), 0);
            curves[ranks] = stepsOf(run);
            QCOMPARE(curves[ranks].size(), std::size_t(50));
        }
        for (const int ranks : {2, 4}) {
            const double difference = largestDifference(curves[1], curves[ranks]);
            qInfo("%d ranks: largest relative difference %.2e", ranks, difference);
            QVERIFY(difference < bound);
        }
    }

    void holdsWhatWasPlannedAtThePeakOfAStep_data()
    {
        QTest::addColumn<int>("zeroStage");
        QTest::addColumn<bool>("optimizer");
        QTest::addColumn<bool>("parameters");
        QTest::addRow("ZeRO 1, optimizer offloaded") << 1 << true << false;
        QTest::addRow("ZeRO 2") << 2 << false << false;
        QTest::addRow("ZeRO 3") << 3 << false << false;
        QTest::addRow("ZeRO 3, optimizer offloaded") << 3 << true << false;
        QTest::addRow("ZeRO 3, parameters offloaded") << 3 << false << true;
        QTest::addRow("ZeRO 3, all offloaded") << 3 << true << true;
    }
    void holdsWhatWasPlannedAtThePeakOfAStep()
    {
        QFETCH(int, zeroStage);
        QFETCH(bool, optimizer);
        QFETCH(bool, parameters);
        RunSpec spec = tinySpec(root() / "data", 2, ComputeType::Float64);
        spec.memory.zeroStage = zeroStage;
        spec.memory.offloadOptimizer = optimizer;
        spec.memory.offloadParameters = parameters;
        const fs::path run = makeRun(spec);
        QCOMPARE(runWorkers({{{2, run}}, 1, 3}), 0);
        QVERIFY(largestDifference(stepsOfOneRank(ModelFamily::Bert, 3), stepsOf(run)) < 1e-9);
        const std::vector<RankStats> ranks = stepsOf(run).back().ranks;
        QCOMPARE(ranks.size(), std::size_t(2));
        for (int rank = 0; rank < 2; ++rank) {
            const RankStates planned = rankStates(spec, {spec.model.layers}, {.data = rank});
            const MemoryByCategory& peak = ranks[std::size_t(rank)].peakMemory;
            const auto is = [&](MemoryCategory category, Bytes bytes) {
                const Bytes measured = peak[std::size_t(category)];
                if (measured != bytes)
                    qInfo("rank %d, %s: %llu of %llu bytes", rank, nameOf(category).data(),
                          (unsigned long long)(measured), (unsigned long long)(bytes));
                return measured == bytes;
            };
            const auto kept = [&](MemoryCategory category) { return planned.kept[std::size_t(category)]; };
            const auto passing = [&](StepMoment moment, MemoryCategory category) {
                return planned.passing[std::size_t(moment)][std::size_t(category)];
            };
            QVERIFY(is(MemoryCategory::Host, kept(MemoryCategory::Host)));
            QVERIFY(is(MemoryCategory::Optimizer, kept(MemoryCategory::Optimizer)));
            // Memory peaks in the last layer, whose weights and the next ones' are gathered, and before most
            // gradients: the head of so small a vocabulary is smaller.
            QVERIFY(is(MemoryCategory::Weights, kept(MemoryCategory::Weights) +
                                                    passing(StepMoment::Attention, MemoryCategory::Weights)));
            const Bytes gradients = peak[std::size_t(MemoryCategory::Gradients)];
            QVERIFY(gradients >= kept(MemoryCategory::Gradients));
            QVERIFY(gradients <= kept(MemoryCategory::Gradients) +
                                     passing(StepMoment::FirstLayers, MemoryCategory::Gradients));
        }
    }

    void givesTheSameCurveFromTensorRanksAndStages()
    {
        RunSpec spec = tinySpec(root() / "data", 1, ComputeType::Float64);
        const std::vector<StepRecord> alone = stepsOfOneRank(ModelFamily::Bert, 12);
        spec.layout.tensor = 2;
        spec.layout.sequence = true;
        spec.layout.pipeline = 2;
        spec.memory.zeroStage = 1;
        spec.cluster.nodes.front().slotCount = 4;
        const fs::path shared = makeRun(spec);
        QCOMPARE(runWorkers({{{4, shared}}, 1, 7}), 0);
        QCOMPARE(runWorkers({{{4, shared}}, 2, 12}), 0); // from the checkpoint of four ranks
        const double difference = largestDifference(alone, stepsOf(shared));
        qInfo("2 tensor ranks x 2 stages: largest relative difference %.2e", difference);
        QVERIFY(difference < 1e-9);
    }

    void givesTheSameCurveFromRanksThatShareSequences_data()
    {
        QTest::addColumn<int>("family");
        QTest::addColumn<int>("zeroStage");
        QTest::addRow("encoder, ZeRO 3") << int(ModelFamily::Bert) << 3;
        QTest::addRow("decoder, ZeRO 1") << int(ModelFamily::Gpt) << 1;
    }
    void givesTheSameCurveFromRanksThatShareSequences()
    {
        QFETCH(int, family);
        QFETCH(int, zeroStage);
        RunSpec spec = tinySpec(root() / "data", 1, ComputeType::Float64);
        spec.model.setFamily(ModelFamily(family));
        const std::vector<StepRecord> alone = stepsOfOneRank(ModelFamily(family), 12);
        spec.layout.context = 3; // 32 tokens, not evenly
        spec.memory.zeroStage = zeroStage;
        spec.cluster.nodes.front().slotCount = 3;
        const fs::path shared = makeRun(spec);
        QCOMPARE(runWorkers({{{3, shared}}, 1, 7}), 0);
        QCOMPARE(runWorkers({{{3, shared}}, 2, 12}), 0); // from the checkpoint of three ranks
        const double difference = largestDifference(alone, stepsOf(shared));
        qInfo("3 context ranks: largest relative difference %.2e", difference);
        QVERIFY(difference < 1e-9);
        const MemoryByCategory planned = estimateMemory(spec, {32, 5}).bytes;
        const auto whole = alone.back().ranks.front().peakMemory;
        const StepRecord last = stepsOf(shared).back();
        for (const RankStats& rank : last.ranks) {
            const auto held = [&](MemoryCategory category) { return rank.peakMemory[std::size_t(category)]; };
            const Bytes activations = whole[std::size_t(MemoryCategory::Activations)];
            qInfo("activations %llu bytes, of one rank %llu; weights %llu of %llu planned",
                  (unsigned long long)(held(MemoryCategory::Activations)), (unsigned long long)(activations),
                  (unsigned long long)(held(MemoryCategory::Weights)), (unsigned long long)(planned[0]));
            QVERIFY(2 * held(MemoryCategory::Activations) < activations);
            QCOMPARE(held(MemoryCategory::Weights), planned[0]);
        }
    }

    void runsAloneWithoutMpirun()
    {
        RunSpec spec = tinySpec(root() / "data", 1, ComputeType::Float64);
        spec.launch.nice = 19;
        const fs::path run = makeRun(spec);
        QProcess process;
        process.start(TRAINYARD_BIN_DIR "/trainyard-worker",
                      {"train", "--run-dir", QString::fromStdString(run.string()), "--steps", "3"});
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(stepsOf(run).size(), std::size_t(3));
        QVERIFY(readFile(run / "ranks" / "0000.log")->find("training from step 1") != std::string::npos);
        QVERIFY(readFile(run / "ranks" / "0000.log")->find("niceness 19") != std::string::npos);
    }

    void leavesRingsThatNameTheRankThatIsMissing()
    {
        RunSpec spec = tinySpec(root() / "data", 2, ComputeType::Float64);
        spec.launch.steps = 100000;
        const fs::path run = makeRun(spec);
        QProcess process;
        process.start("mpirun", WorkerLaunch{{{2, run}}}.arguments());
        QVERIFY(waitFor([&] { return stepsOf(run).size() >= 5; }));
        const pid_t pid = readFlightRing(flightRingPath(run, 1)).value().pid;
        // A rank that stands still: the other one waits inside the next collective. A stop that falls inside
        // a collective names nobody, for both have entered it; then the rank goes on a little and is stopped
        // again.
        std::optional<FlightVerdict> verdict;
        const bool judged = waitFor([&] {
            ::kill(pid, SIGCONT);
            QThread::msleep(7);
            ::kill(pid, SIGSTOP);
            QThread::msleep(300);
            verdict = judgeFlight({readFlightRing(flightRingPath(run, 0)).value(),
                                   readFlightRing(flightRingPath(run, 1)).value()});
            return verdict && verdict->missing == std::vector<int>{1};
        });
        ::kill(pid, SIGKILL);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QVERIFY(judged);
        QCOMPARE(verdict->waiting, std::vector<int>{0});
        // Both rings still say it when every process is dead.
        const auto after = judgeFlight(
            {readFlightRing(flightRingPath(run, 0)).value(), readFlightRing(flightRingPath(run, 1)).value()});
        QVERIFY(after.has_value());
        QCOMPARE(after->missing, std::vector<int>{1});
        qInfo("%s", after->text.c_str());
    }

    void refusesUnequalDatasetsBeforeTheFirstStep()
    {
        // Two "nodes" with other content under the same path.
        QVERIFY(writeTinyDataset(root() / "nodeA" / "data", 0).ok());
        QVERIFY(writeTinyDataset(root() / "nodeB" / "data", 1).ok());
        const RunSpec spec = tinySpec("/proc/self/cwd/data", 2, ComputeType::Float64);
        const fs::path first = makeRun(spec);
        const fs::path second = makeRun(spec);
        QCOMPARE(runWorkers({{{1, first, root() / "nodeA"}, {1, second, root() / "nodeB"}}}), 2);
        QVERIFY(stepsOf(first).empty());
        const auto events = eventsOf(first);
        QVERIFY(!events.empty());
        QCOMPARE(events.back().kind, std::string("run-failed"));
        QVERIFY2(events.back().message.find("data sets differ") != std::string::npos,
                 events.back().message.c_str());
        QVERIFY(readFile(second / "ranks" / "0001.log")->find("error: ") != std::string::npos);
    }

    void stopsOnSigtermWithACheckpoint()
    {
        RunSpec spec = tinySpec(root() / "data", 1, ComputeType::Float64);
        spec.launch.steps = 100000;
        const fs::path run = makeRun(spec);
        QProcess process;
        process.start(TRAINYARD_BIN_DIR "/trainyard-worker",
                      {"train", "--run-dir", QString::fromStdString(run.string())});
        QVERIFY(waitFor([&] { return stepsOf(run).size() >= 3; }));
        process.terminate();
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(fs::exists(run / "checkpoints" / "latest"));
        QVERIFY(hasEvent(run, "stop-signal") && hasEvent(run, "training-stopped"));
    }

    void leavesALastWordWhenItCrashes()
    {
        RunSpec spec = tinySpec(root() / "data", 1, ComputeType::Float64);
        spec.launch.steps = 100000;
        const fs::path run = makeRun(spec);
        QProcess process;
        process.start(TRAINYARD_BIN_DIR "/trainyard-worker",
                      {"train", "--run-dir", QString::fromStdString(run.string())});
        QVERIFY(waitFor([&] { return stepsOf(run).size() >= 3; }));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGSEGV), 0);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);
        QVERIFY(readFile(run / "ranks" / "0000.log")->find("error: the worker was ended by a memory") !=
                std::string::npos);
    }

    void saysWhatIsWrongWithBadInput_data()
    {
        QTest::addColumn<QString>("spec");
        QTest::addColumn<QString>("named");
        QTest::addRow("no JSON") << "{"
                                 << "spec.json";
        QTest::addRow("unknown key") << R"({"trainyard": 1, "nmae": "x"})"
                                     << "nmae";
        QTest::addRow("no data set") << R"({"trainyard": 1, "dataset": {"path": "/nonexistent"}})"
                                     << "/nonexistent";
    }
    void saysWhatIsWrongWithBadInput()
    {
        QFETCH(QString, spec);
        QFETCH(QString, named);
        const fs::path run = makeRun(tinySpec(root() / "data", 1, ComputeType::Float32));
        QVERIFY(writeFileAtomically(run / "spec.json", spec.toStdString()).ok());
        QProcess process;
        process.start(TRAINYARD_BIN_DIR "/trainyard-worker",
                      {"train", "--run-dir", QString::fromStdString(run.string())});
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitCode(), 2);
        const QString said = process.readAllStandardError();
        QVERIFY2(said.startsWith("trainyard-worker: ") && said.contains(named), qPrintable(said));
    }
};

QTEST_GUILESS_MAIN(TestWorker)
#include "tst_worker.moc"
