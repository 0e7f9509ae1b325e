#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/comm/phase_clock.h"
#include "engine/comm/process_groups.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/planner/learning_rate_schedule.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/validate.h"
#include "engine/training/data/training_data.h"
#include "engine/training/replica_threads.h"
#include "engine/training/training_step.h"
#include "engine/training/whole_tensors.h"
#include "tests/auto/training/checkpoint_content.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

#include <ATen/Parallel.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <mutex>

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kFirstSteps = 12;  ///< steps of the first phase
constexpr int kSecondSteps = 10; ///< of the second
constexpr int kBothSteps = kFirstSteps + kSecondSteps;

/// Half as many sequences, twice as long, with another schedule and other memory savings.
PhaseSpec longPhase(const fs::path& data, int ranks)
{
    PhaseSpec phase{.name = "long", .steps = kSecondSteps};
    phase.dataset.path = data;
    phase.batch = {4, 1, 4 / ranks};
    phase.optimizer.learningRate = 1e-3;
    phase.optimizer.warmupSteps = 2;
    phase.memory.recompute = RecomputeKind::Full;
    phase.named = {"dataset.path",
                   "batch.global",
                   "batch.micro",
                   "batch.accumulation",
                   "optimizer.learning_rate",
                   "optimizer.warmup_steps",
                   "memory.recompute"};
    return phase;
}

/// A phase that changes nothing but these fields.
PhaseSpec plainPhase(int steps, const MemorySpec& memory = {}, std::set<std::string> named = {})
{
    PhaseSpec phase{.steps = steps};
    phase.memory = memory;
    phase.named = std::move(named);
    return phase;
}

struct Curve {
    std::vector<double> losses;
    std::vector<double> norms;
    std::vector<double> rates;

    bool operator==(const Curve&) const = default;
};

Curve curveOf(const std::vector<StepRecord>& steps, std::size_t first = 0,
              std::size_t count = std::numeric_limits<std::size_t>::max())
{
    Curve curve;
    for (std::size_t i = first; i < steps.size() && i - first < count; ++i) {
        curve.losses.push_back(steps[i].loss);
        curve.norms.push_back(steps[i].gradientNorm);
        curve.rates.push_back(steps[i].learningRate);
    }
    return curve;
}

/// The second phase with the parts of a trainer alone, from a checkpoint of the first one.
struct SecondByHand {
    Curve curve;
    WholeTensors weights;

    Status run(const RunSpec& spec, const fs::path& checkpoint, bool keepsOptimizer)
    {
        const Manifest manifest = Manifest::load(spec.dataset.path).value();
        return runReplicasAsThreads(
            spec, {manifest.sequenceLength, manifest.maxPredictions},
            [&](const ProcessGroups& groups, Replica& replica) -> Status {
                TRAINYARD_TRY_STATUS(load(replica, checkpoint, keepsOptimizer));
                PhaseClock clock(nullptr);
                TrainingStep step(spec, {replica, groups, clock}, {}, kFirstSteps);
                TRAINYARD_TRY(TrainingData data, TrainingData::open(spec));
                const auto loader =
                    startLoading(std::move(data), spec,
                                 {Rank{groups.coordinates.data}, WorldSize{spec.layout.data}, 0, false});
                for (int i = 1; i <= kSecondSteps; ++i) {
                    TRAINYARD_TRY(const StepOutcome outcome,
                                  step.run(Step{kFirstSteps + i}, loader->next(), [] { return Requests(); }));
                    if (groups.world->isFirst())
                        add(spec, i, outcome);
                }
                const std::lock_guard lock(m_mutex);
                collect(weights, replica, &OwnedTensor::master);
                return {};
            });
    }

private:
    static Status load(Replica& replica, const fs::path& checkpoint, bool keepsOptimizer)
    {
        TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(checkpoint));
        for (const auto& chunk : replica.chunks())
            TRAINYARD_TRY_STATUS(keepsOptimizer ? chunk->state().load(reader)
                                                : TrainingState(chunk->parameters()).load(reader));
        replica.shareWeights();
        return {};
    }
    void add(const RunSpec& spec, int step, const StepOutcome& outcome)
    {
        curve.losses.push_back(outcome.tokenLoss + outcome.sequenceLoss);
        curve.norms.push_back(outcome.gradientNorm);
        curve.rates.push_back(LearningRateSchedule(spec.optimizer, kSecondSteps).at(step));
    }

    std::mutex m_mutex;
};

/// Whether the checkpoint has exactly these weights.
bool holds(const fs::path& checkpoint, const WholeTensors& weights)
{
    auto reader = CheckpointReader::open(checkpoint);
    for (const auto& [name, expected] : weights) {
        const LogicalTensor* stored = reader->manifest().find("model/" + name);
        at::Tensor values = at::empty(stored->shape, scalarTypeOf(stored->type));
        const std::span<std::byte> bytes(static_cast<std::byte*>(values.mutable_data_ptr()), values.nbytes());
        if (!reader->read(stored->name, bytes).ok() || !values.to(at::kDouble).equal(expected))
            return false;
    }
    return !weights.empty();
}

} // namespace

/// Phases of one run: as if each were a run that begins with what the one before left.
class TestPhasedTraining : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        QVERIFY(writeDataset(data("short"), {.length = 32, .testRows = 11}).ok());
        QVERIFY(
            writeDataset(data("long"), {.rows = 120, .length = 64, .predictions = 9, .testRows = 7}, 1).ok());
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void equalsTwoRunsJoinedByHand_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("compute");
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("keeps");
        for (const bool keeps : {true, false}) {
            const char* how = keeps ? "kept" : "afresh";
            QTest::addRow("adamw float64, optimizer %s", how)
                << 1 << int(ComputeType::Float64) << int(OptimizerKind::AdamW) << keeps;
            QTest::addRow("lamb bfloat16, two ranks, optimizer %s", how)
                << 2 << int(ComputeType::BFloat16) << int(OptimizerKind::Lamb) << keeps;
            QTest::addRow("sgd float32, four ranks, optimizer %s", how)
                << 4 << int(ComputeType::Float32) << int(OptimizerKind::Sgd) << keeps;
        }
    }
    void equalsTwoRunsJoinedByHand()
    {
        QFETCH(int, ranks);
        QFETCH(int, compute);
        QFETCH(int, kind);
        QFETCH(bool, keeps);
        RunSpec run = twoPhases(ranks, ComputeType(compute), OptimizerKind(kind));
        run.phases[1].keepOptimizer = keeps;
        QCOMPARE(validate(run).size(), std::size_t(0));
        QCOMPARE(train("phased", run), std::string());
        const auto steps = stepsOf(path("phased"));
        QCOMPARE(steps.size(), std::size_t(kBothSteps));

        QCOMPARE(train("first", specOfPhase(run, 0)), std::string());
        QVERIFY(curveOf(steps, 0, kFirstSteps) == curveOf(stepsOf(path("first"))));
        QCOMPARE(contentOf(checkpoint("phased", kFirstSteps)).value(),
                 contentOf(checkpoint("first", kFirstSteps)).value());
        SecondByHand second;
        const Status status = second.run(specOfPhase(run, 1), checkpoint("first", kFirstSteps), keeps);
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        QVERIFY(curveOf(steps, kFirstSteps) == second.curve);
        QVERIFY(holds(checkpoint("phased", kBothSteps), second.weights));
    }

    /// Stopped wherever it may be, and resumed.
    void resumesInAnyPhaseAndAtTheBorder_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<bool>("keeps");
        for (const bool keeps : {true, false}) {
            const char* how = keeps ? "kept" : "afresh";
            QTest::addRow("float64, optimizer %s", how) << int(ComputeType::Float64) << keeps;
            QTest::addRow("float16, optimizer %s", how) << int(ComputeType::Float16) << keeps;
        }
    }
    void resumesInAnyPhaseAndAtTheBorder()
    {
        QFETCH(int, compute);
        QFETCH(bool, keeps);
        RunSpec run = twoPhases(2, ComputeType(compute), OptimizerKind::Lamb);
        run.phases[1].keepOptimizer = keeps;
        run.evaluation = {.everySteps = 4, .batches = 2};
        QCOMPARE(train("whole", run), std::string());
        std::uint32_t attempt = 0;
        for (const int last : {5, kFirstSteps, kFirstSteps + 1, kFirstSteps + 6, kBothSteps})
            QCOMPARE(train("broken", run, {++attempt, last}), std::string());
        QVERIFY(curveOf(stepsOf(path("whole"))) == curveOf(stepsOf(path("broken"))));
        QCOMPARE(latestContentOf(path("whole")).value(), latestContentOf(path("broken")).value());
        QCOMPARE(largestDifference(evaluationsOf(path("whole")), evaluationsOf(path("broken"))), 0.0);
        QCOMPARE(count("broken", "phase-started"), 2);
    }

    /// Dropout, samples and moments go on as if there were no border.
    void splittingARunChangesNothing()
    {
        RunSpec run = tinySpec(data("short"), 2, ComputeType::Float32);
        run.optimizer.schedule = ScheduleKind::Constant;
        run.optimizer.warmupSteps = 0;
        run.launch.steps = kBothSteps;
        run.evaluation.batches = 0;
        QCOMPARE(train("whole", run), std::string());
        run.phases = {plainPhase(3), plainPhase(kFirstSteps - 3), plainPhase(kSecondSteps)};
        QCOMPARE(train("split", run), std::string());
        QVERIFY(curveOf(stepsOf(path("whole"))) == curveOf(stepsOf(path("split"))));
        QCOMPARE(stepsOf(path("whole")).back().consumedSamples,
                 stepsOf(path("split")).back().consumedSamples);
        QCOMPARE(latestContentOf(path("whole")).value(), latestContentOf(path("split")).value());
    }

    /// The ranks share weights, gradients and moments in another way from phase to phase.
    void changesMemorySavingsBetweenPhases_data()
    {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("pipeline");
        QTest::addRow("data 4") << 4 << 1 << 1;
        QTest::addRow("data 2, tensor 2") << 2 << 2 << 1;
        QTest::addRow("data 2, pipeline 2") << 2 << 1 << 2;
    }
    void changesMemorySavingsBetweenPhases()
    {
        QFETCH(int, data);
        QFETCH(int, tensor);
        QFETCH(int, pipeline);
        RunSpec run = tinySpec(this->data("short"), 4, ComputeType::Float64);
        run.layout.data = data;
        run.layout.tensor = tensor;
        run.layout.pipeline = pipeline;
        run.batch = {8, 1, 8 / data};
        run.optimizer.schedule = ScheduleKind::Constant;
        run.launch.steps = 12;
        QCOMPARE(train("same", run), std::string());
        const std::set<std::string> all{"memory.zero_stage", "memory.recompute", "memory.offload_optimizer"};
        const int most = pipeline > 1 ? 1 : 3; // a pipeline does not take more
        run.phases = {plainPhase(5), plainPhase(3, {.zeroStage = most}, all),
                      plainPhase(2, {.recompute = RecomputeKind::Selective}, all),
                      plainPhase(2, {.zeroStage = 1, .offloadOptimizer = true}, all)};
        // Later phases have no warm-up.
        for (PhaseSpec& phase : run.phases) {
            phase.optimizer.warmupSteps = &phase == &run.phases.front() ? 5 : 0;
            phase.named.insert("optimizer.warmup_steps");
        }
        QCOMPARE(validate(run).size(), std::size_t(0));
        QCOMPARE(train("phased", run), std::string());
        const double difference = largestDifference(stepsOf(path("same")), stepsOf(path("phased")));
        qInfo("largest relative difference %.2e", difference);
        QVERIFY(difference < 1e-9);
    }

    void evaluatesOnTheRowsOfEachPhase()
    {
        RunSpec run = twoPhases(1, ComputeType::Float64);
        run.evaluation = {.everySteps = 5, .batches = 9, .keepBest = true};
        QCOMPARE(train("run", run), std::string());
        std::vector<std::int64_t> steps;
        std::vector<std::int64_t> rows;
        std::vector<bool> best;
        for (const EvaluationRecord& record : evaluationsOf(path("run"))) {
            steps.push_back(record.step);
            rows.push_back(record.rows);
            best.push_back(record.best);
        }
        QCOMPARE(steps, (std::vector<std::int64_t>{5, 10, kFirstSteps, kFirstSteps + 5, kBothSteps}));
        QCOMPARE(rows, (std::vector<std::int64_t>{11, 11, 11, 7, 7}));
        QVERIFY(best[3]); // of its phase
    }

    /// Earlier phases only lead to the last one.
    void endsAtATargetInTheLastPhaseAlone()
    {
        RunSpec run = twoPhases(1, ComputeType::Float32);
        run.evaluation = {.everySteps = 3, .batches = 1, .target = 1e3};
        QCOMPARE(train("run", run), std::string());
        QCOMPARE(stepsOf(path("run")).back().step, std::int64_t(kFirstSteps + 3));
    }

    /// The second one evaluates rows of the first, fewer and more often, up to a target of its own.
    void evaluatesAsEachPhaseSays()
    {
        RunSpec run = twoPhases(1, ComputeType::Float32);
        run.evaluation = {.everySteps = 5, .batches = 9};
        run.phases[1].evaluation = {
            .everySteps = 4, .batches = 2, .dataset = data("short"), .target = 1e3, .keepBest = true};
        run.phases[1].named.insert({"evaluation.every_steps", "evaluation.batches", "evaluation.dataset",
                                    "evaluation.target", "evaluation.keep_best"});
        QCOMPARE(train("run", run), std::string());
        std::vector<std::int64_t> steps;
        std::vector<std::int64_t> rows;
        for (const EvaluationRecord& record : evaluationsOf(path("run"))) {
            steps.push_back(record.step);
            rows.push_back(record.rows);
        }
        QCOMPARE(steps, (std::vector<std::int64_t>{5, 10, kFirstSteps, kFirstSteps + 4}));
        QCOMPARE(rows, (std::vector<std::int64_t>{11, 11, 11, 8}));
        QCOMPARE(stepsOf(path("run")).back().step, std::int64_t(kFirstSteps + 4)); // the target is reached
        const auto best = findCheckpoint(path("run"), {.best = true});
        QCOMPARE(best.value().folder, checkpoint("run", kFirstSteps + 4));
    }

    void saysWhereAPhaseBegins()
    {
        const RunSpec run = twoPhases(2, ComputeType::Float32);
        QCOMPARE(train("run", run), std::string());
        std::vector<std::int64_t> steps;
        std::string last;
        for (const EventRecord& event : eventsOf(path("run"))) {
            if (event.kind == "phase-started") {
                steps.push_back(event.step);
                last = event.message;
            }
        }
        QCOMPARE(steps, (std::vector<std::int64_t>{0, kFirstSteps}));
        QCOMPARE(last, "long (2 of 2) begins: 10 steps on " + data("long").string());
        const auto atBorder = CheckpointManifest::load(checkpoint("run", kFirstSteps) / kManifestName);
        const auto atEnd = CheckpointManifest::load(checkpoint("run", kBothSteps) / kManifestName);
        QCOMPARE(atBorder->position.phase.number, 0);
        QVERIFY(atEnd->position.phase == (PhasePosition{1, kFirstSteps}));
        QCOMPARE(atEnd->position.updates(), std::int64_t(kBothSteps));
        QCOMPARE(atEnd->position.consumedSamples, std::uint64_t(8 * kFirstSteps + 4 * kSecondSteps));
        QVERIFY(atEnd->position.spec == run);
    }

    /// A skipped update counts neither for the learning rate nor for the moments.
    void countsUpdatesFromThePhaseOn()
    {
        TrainingPosition position;
        position.step.value = 12;
        position.lossScale.skippedSteps = 2;
        QCOMPARE(position.updates(), std::int64_t(10));
        position.evaluation.bestStep = 11;
        position.beginPhase(1, true);
        QVERIFY(position.phase == (PhasePosition{1, 10}));
        QVERIFY(position.evaluation == EvaluationState());
        QCOMPARE(position.updates(), std::int64_t(10));
        position.beginPhase(1, false);
        QCOMPARE(position.updates(), std::int64_t(0));
        position.step.value = 15;
        ++position.lossScale.skippedSteps;
        QCOMPARE(position.updates(), std::int64_t(2));
    }

    /// Before the first step of the first phase.
    void refusesALaterPhaseThatCannotBegin()
    {
        RunSpec run = twoPhases(2, ComputeType::Float32);
        run.phases[1].dataset.path = data("nowhere");
        const std::string missing = train("missing", run);
        QVERIFY2(missing.starts_with("phases[1]: "), missing.c_str());
        QVERIFY2(missing.find("nowhere") != std::string::npos, missing.c_str());
        QCOMPARE(stepsOf(path("missing")).size(), std::size_t(0));
        run.phases[1].dataset.path = data("long");
        run.model.maxPositions = 32;
        const std::string longer = train("longer", run);
        QVERIFY2(longer.starts_with("phases[1]: ") &&
                     longer.find("model.max_positions: is 32, and the rows of the data set") !=
                         std::string::npos,
                 longer.c_str());
        QCOMPARE(stepsOf(path("longer")).size(), std::size_t(0));
    }

    /// Nobody keeps the data of a phase that is over.
    void resumesWithoutTheDataOfAnEarlierPhase()
    {
        RunSpec run = twoPhases(1, ComputeType::Float32);
        QCOMPARE(train("whole", run), std::string());
        QCOMPARE(train("broken", run, {1, kFirstSteps}), std::string());
        fs::rename(data("short"), data("moved"));
        const std::string resumed = train("broken", run, {2, 0});
        fs::rename(data("moved"), data("short"));
        QCOMPARE(resumed, std::string());
        QVERIFY(curveOf(stepsOf(path("whole"))) == curveOf(stepsOf(path("broken"))));
    }

private:
    /// Empty where all went well.
    std::string train(const char* name, const RunSpec& run, const TrainOptions& options = {})
    {
        const Status status = trainAsThreads(path(name), run, options);
        if (!status.ok())
            qInfo("%s", status.error().text().c_str());
        return status.ok() ? std::string() : status.error().text();
    }
    RunSpec twoPhases(int ranks, ComputeType compute, OptimizerKind kind = OptimizerKind::AdamW) const
    {
        RunSpec run = tinySpec(data("short"), ranks, compute);
        run.model.maxPositions = 64;
        run.optimizer.kind = kind;
        run.launch.steps = kBothSteps;
        run.evaluation.batches = 0;
        run.phases = {PhaseSpec{.name = "short", .steps = kFirstSteps}, longPhase(data("long"), ranks)};
        return run;
    }
    std::ptrdiff_t count(const char* name, const char* kind) const
    {
        return std::ranges::count(eventsOf(path(name)), kind, &EventRecord::kind);
    }
    fs::path data(const char* name) const { return fs::path(m_data.path().toStdString()) / name; }
    fs::path path(const char* run) const { return fs::path(m_folder->path().toStdString()) / run; }
    fs::path checkpoint(const char* run, std::int64_t step) const
    {
        return path(run) / "checkpoints" / checkpointFolderName(Step{step});
    }

    QTemporaryDir m_data;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestPhasedTraining)
#include "tst_phased_training.moc"
