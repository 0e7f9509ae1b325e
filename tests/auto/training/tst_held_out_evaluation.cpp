#include <algorithm>
#include <cmath>
#include <fstream>

#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <c10/core/GradMode.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/language_model.h"
#include "engine/records/journal.h"
#include "engine/spec/names.h"
#include "engine/spec/validate.h"
#include "engine/training/data/training_data.h"
#include "engine/training/held_out_evaluation.h"
#include "engine/training/replica_threads.h"
#include "tests/auto/training/checkpoint_content.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/support/layouts/engine_layouts.h"

#include <QTemporaryDir>
#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kTestRows = 19; // two batches of 8 and a part of a third

/// Evaluates freshly initialised weights in the specification's layout, ranks as threads.
EvaluationRecord evaluateFresh(const RunSpec& spec)
{
    EvaluationRecord record;
    const Manifest manifest = Manifest::load(spec.dataset.path).value();
    const Status status =
        runReplicasAsThreads(spec, {manifest.sequenceLength, manifest.maxPredictions},
                             [&](const ProcessGroups& groups, Replica& replica) -> Status {
                                 PhaseClock clock(nullptr);
                                 TrainingStep step(spec, {replica, groups, clock});
                                 TRAINYARD_TRY(auto rows, HeldOutRows::open(spec, manifest));
                                 HeldOutEvaluation evaluation(spec, groups, step, std::move(*rows), false);
                                 TRAINYARD_TRY(const EvaluationRecord here, evaluation.run(Step{1}));
                                 if (groups.world->isFirst())
                                     record = here;
                                 return {};
                             });
    if (!status.ok())
        qWarning("%s", status.error().text().c_str());
    return record;
}

} // namespace

class TestHeldOutEvaluation : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        QVERIFY(writeDataset(data("tiny"), {.testRows = kTestRows}).ok());
        QVERIFY(writeDataset(data("none"), {}).ok());
        QVERIFY(writeDataset(data("short"), {.length = 16}).ok());
        QVERIFY(writeDataset(data("encoder"), {.length = 32, .vocabulary = 256, .testRows = 21}).ok());
        QVERIFY(
            writeDataset(data("decoder"), {.length = 32, .predictions = 0, .vocabulary = 256, .testRows = 21})
                .ok());
    }
    void init() { m_run = std::make_unique<QTemporaryDir>(); }

    void givesExactMeansOverAllTokens_data()
    {
        QTest::addColumn<bool>("decoder");
        QTest::addRow("encoder") << false;
        QTest::addRow("decoder") << true;
    }
    void givesExactMeansOverAllTokens()
    {
        QFETCH(bool, decoder);
        RunSpec spec = tinySpec(data("tiny"), 1, ComputeType::Float64);
        if (decoder)
            spec.model.setFamily(ModelFamily::Gpt);
        spec.evaluation = {.everySteps = 1, .batches = 100};
        const EvaluationRecord record = evaluateFresh(spec);
        // All rows at once, in ATen's own operators.
        RunSpec whole = spec;
        whole.batch = {int(kTestRows), int(kTestRows), 1};
        HeldOutRows rows = *HeldOutRows::open(whole, Manifest::load(data("tiny")).value()).value();
        const TokenBatch batch = rows.read(0, 0, false).value().front().batch;
        LanguageModel model(spec.model, ComputeType::Float64);
        model.parameters().initialize(spec.seed, spec.model.initializerRange);
        const c10::AutoGradMode noGraph(false);
        const Logits logits = model.logits(batch, std::nullopt);
        const auto lossOf = [](const at::Tensor& scores, const at::Tensor& labels) {
            return at::cross_entropy_loss(scores, labels).item<double>();
        };
        const auto accuracyOf = [](const at::Tensor& scores, const at::Tensor& labels) {
            return scores.argmax(1).eq(labels).to(at::kDouble).mean().item<double>();
        };
        QCOMPARE(record.rows, std::int64_t(kTestRows));
        QCOMPARE(record.tokens, batch.targetCount());
        QVERIFY(std::abs(record.tokenLoss - lossOf(logits.tokens, batch.targets)) < 1e-12);
        QVERIFY(std::abs(record.tokenAccuracy - accuracyOf(logits.tokens, batch.targets)) < 1e-12);
        QCOMPARE(record.sequenceAccuracy.has_value(), !decoder);
        if (!decoder) {
            QVERIFY(std::abs(record.sequenceLoss - lossOf(logits.sequences, batch.sequenceLabels)) < 1e-12);
            QVERIFY(std::abs(*record.sequenceAccuracy - accuracyOf(logits.sequences, batch.sequenceLabels)) <
                    1e-12);
        }
        QCOMPARE(record.loss, record.tokenLoss + record.sequenceLoss);
        QVERIFY(!record.bitsPerByte);
    }

    /// The twenty layouts in float64, against one rank.
    void isTheSameInEveryLayout_data()
    {
        QTest::addColumn<int>("layout");
        const auto layouts = engineLayouts(data("encoder"), data("decoder"));
        for (std::size_t i = 0; i < layouts.size(); ++i)
            QTest::addRow("%s", layouts[i].name.c_str()) << int(i);
    }
    void isTheSameInEveryLayout()
    {
        QFETCH(int, layout);
        RunSpec spec = engineLayouts(data("encoder"), data("decoder"))[std::size_t(layout)].spec;
        spec.precision.compute = ComputeType::Float64;
        spec.model.hidden = 16 * spec.model.heads;
        spec.model.intermediate = 96;
        spec.model.vocabulary = 256;
        spec.evaluation = {.everySteps = 1, .batches = 100}; // all 21 rows, whatever the batch
        QVERIFY(validate(spec).empty());
        RunSpec alone = spec;
        alone.layout = {};
        alone.memory = {};
        alone.batch = {4, 4, 1};
        const EvaluationRecord expected = evaluateFresh(alone);
        QCOMPARE(expected.rows, std::int64_t(21));
        const double difference = largestDifference({expected}, {evaluateFresh(spec)});
        qInfo("largest relative difference %.1e", difference);
        QVERIFY(difference < 1e-9);
    }

    void everyPrecisionEvaluates_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<double>("bound");
        QTest::addRow("float32") << int(ComputeType::Float32) << 1e-5;
        QTest::addRow("bfloat16") << int(ComputeType::BFloat16) << 1e-2;
        QTest::addRow("float16") << int(ComputeType::Float16) << 1e-3;
    }
    void everyPrecisionEvaluates()
    {
        QFETCH(int, compute);
        QFETCH(double, bound);
        const double exact = evaluateFresh(tinySpec(data("tiny"), 2, ComputeType::Float64)).loss;
        const double loss = evaluateFresh(tinySpec(data("tiny"), 2, ComputeType(compute))).loss;
        qInfo("relative difference %.1e", std::abs(loss - exact) / exact);
        QVERIFY(std::abs(loss - exact) < bound * exact);
    }

    void wholeRunsEvaluateAlike_data()
    {
        QTest::addColumn<ParallelLayout>("layout");
        QTest::addColumn<MemorySpec>("memory");
        QTest::addColumn<bool>("packing");
        using Schedule = PipelineScheduleKind;
        QTest::addRow("data 4, ZeRO 3") << ParallelLayout{.data = 4} << MemorySpec{.zeroStage = 3} << false;
        QTest::addRow("tensor 2, sequence, packing")
            << ParallelLayout{.tensor = 2, .sequence = true} << MemorySpec{} << true;
        QTest::addRow("context 2") << ParallelLayout{.context = 2} << MemorySpec{} << false;
        QTest::addRow("zero-bubble 2, offload")
            << ParallelLayout{.pipeline = 2, .schedule = Schedule::ZeroBubble}
            << MemorySpec{.offloadActivations = true} << false;
        QTest::addRow("data 2, pipeline 2, full recomputation")
            << ParallelLayout{.data = 2, .pipeline = 2}
            << MemorySpec{.zeroStage = 1, .recompute = RecomputeKind::Full} << false;
        QTest::addRow("ZeRO 3, all offloaded")
            << ParallelLayout{}
            << MemorySpec{.zeroStage = 3, .offloadOptimizer = true, .offloadParameters = true} << false;
    }
    void wholeRunsEvaluateAlike()
    {
        QFETCH(ParallelLayout, layout);
        QFETCH(MemorySpec, memory);
        QFETCH(bool, packing);
        RunSpec spec = evaluatedSpec(1, ComputeType::Float64);
        QVERIFY(trainAsThreads(run("one"), spec, {1, 20}).ok());
        const auto expected = evaluationsOf(run("one"));
        QCOMPARE(expected.size(), std::size_t(3)); // 6, 12, 18
        spec.layout = layout;
        spec.memory = memory;
        spec.batch = {8, 2, 4 / layout.data, packing};
        QVERIFY(trainAsThreads(run("shared"), spec, {1, 20}).ok());
        const double difference = largestDifference(expected, evaluationsOf(run("shared")));
        qInfo("largest relative difference %.1e", difference);
        QVERIFY(difference < 1e-9);
    }

    void doesNotTouchTraining_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addColumn<ParallelLayout>("layout");
        QTest::addColumn<int>("stage");
        QTest::addRow("one rank") << int(ComputeType::Float32) << ParallelLayout{} << 0;
        QTest::addRow("bfloat16, ZeRO 3") << int(ComputeType::BFloat16) << ParallelLayout{.data = 2} << 3;
        QTest::addRow("float16, 1f1b") << int(ComputeType::Float16) << ParallelLayout{.pipeline = 2} << 0;
        QTest::addRow("tensor") << int(ComputeType::Float32) << ParallelLayout{.tensor = 2} << 0;
    }
    void doesNotTouchTraining()
    {
        QFETCH(int, compute);
        QFETCH(ParallelLayout, layout);
        QFETCH(int, stage);
        RunSpec spec = evaluatedSpec(1, ComputeType(compute));
        spec.evaluation.everySteps = 3;
        spec.layout = layout;
        spec.memory.zeroStage = stage;
        spec.batch = {8, 2, 4 / layout.data};
        QVERIFY(trainAsThreads(run("with"), spec, {1, 15}).ok());
        QCOMPARE(evaluationsOf(run("with")).size(), std::size_t(5));
        spec.evaluation = {.batches = 0};
        QVERIFY(trainAsThreads(run("without"), spec, {1, 15}).ok());
        QCOMPARE(evaluationsOf(run("without")).size(), std::size_t(0));
        QCOMPARE(largestDifference(stepsOf(run("with")), stepsOf(run("without"))), 0.0);
        QCOMPARE(largestNormDifference(stepsOf(run("with")), stepsOf(run("without"))), 0.0);
        QVERIFY(latestContentOf(run("with")).value() == latestContentOf(run("without")).value());
    }

    void resumesBetweenEvaluations_data()
    {
        QTest::addColumn<int>("broken");
        QTest::addRow("between two") << 8;
        QTest::addRow("right behind one") << 12;
    }
    void resumesBetweenEvaluations()
    {
        QFETCH(int, broken);
        const RunSpec spec = evaluatedSpec(2, ComputeType::Float32);
        QVERIFY(trainAsThreads(run("whole"), spec, {1, 20}).ok());
        QVERIFY(trainAsThreads(run("broken"), spec, {1, broken}).ok());
        QVERIFY(trainAsThreads(run("broken"), spec, {2, 20}).ok());
        QCOMPARE(largestDifference(evaluationsOf(run("whole")), evaluationsOf(run("broken"))), 0.0);
        QCOMPARE(recordsOf(run("broken")), 3); // none twice
    }

    void aStopPostponesTheEvaluation()
    {
        RunSpec spec = evaluatedSpec(2, ComputeType::Float32);
        spec.evaluation.everySteps = 1;
        QVERIFY(trainAsThreads(run("whole"), spec, {1, 3}).ok());
        fs::create_directories(run("stopped") / "control");
        std::ofstream(run("stopped") / "control" / "stop").close();
        QCOMPARE(trainAsThreads(run("stopped"), spec).error().kind, ErrorKind::Cancelled);
        QCOMPARE(recordsOf(run("stopped")), 0);
        fs::remove(run("stopped") / "control" / "stop");
        QVERIFY(trainAsThreads(run("stopped"), spec, {2, 3}).ok());
        QCOMPARE(largestDifference(evaluationsOf(run("whole")), evaluationsOf(run("stopped"))), 0.0);
        QCOMPARE(recordsOf(run("stopped")), 3);
    }

    void evaluatesByItselfWhereThereAreTestRows()
    {
        RunSpec spec = tinySpec(data("tiny"), 2, ComputeType::Float32);
        spec.launch.steps = 40;
        QVERIFY(trainAsThreads(run("run"), spec).ok());
        const auto evaluations = evaluationsOf(run("run"));
        QCOMPARE(evaluations.size(), std::size_t(2)); // 20 steps pay for a batch
        QCOMPARE(evaluations.back().step, std::int64_t(40));
        QVERIFY(evaluations.back().loss < evaluations.front().loss && evaluations.back().best);
        spec.dataset.path = data("none");
        QVERIFY(trainAsThreads(run("none"), spec, {1, 5}).ok());
        QCOMPARE(recordsOf(run("none")), 0);
    }

    void endsAtTheTarget()
    {
        RunSpec spec = evaluatedSpec(2, ComputeType::Float64);
        spec.evaluation.everySteps = 4;
        QVERIFY(trainAsThreads(run("whole"), spec, {1, 16}).ok());
        const auto whole = evaluationsOf(run("whole"));
        QVERIFY(whole[1].loss < whole[0].loss);
        spec.evaluation.target = (whole[0].loss + whole[1].loss) / 2;
        QVERIFY(trainAsThreads(run("run"), spec).ok());
        QCOMPARE(stepsOf(run("run")).size(), std::size_t(8));
        const auto events = eventsOf(run("run"));
        QCOMPARE(events.back().kind, std::string("training-finished"));
        QVERIFY2(events.back().message.find("reaches evaluation.target") != std::string::npos,
                 events.back().message.c_str());
        QVERIFY(fs::exists(run("run") / "checkpoints" / "step-000000008"));
        QVERIFY(trainAsThreads(run("run"), spec, {2, 0}).ok()); // it is reached
        QCOMPARE(stepsOf(run("run")).size(), std::size_t(8));
    }

    void saysThatTheTargetWasMissed()
    {
        RunSpec spec = evaluatedSpec(1, ComputeType::Float64);
        spec.evaluation.everySteps = 4;
        spec.evaluation.target = 1e-3;
        spec.launch.steps = 8;
        QVERIFY(trainAsThreads(run("run"), spec).ok());
        const std::string last = eventsOf(run("run")).back().message;
        QVERIFY2(last.starts_with("all 8 steps are done; target 0.001 not reached: best "), last.c_str());
    }

    void endsOutOfPatience()
    {
        RunSpec spec = evaluatedSpec(1, ComputeType::Float64);
        spec.optimizer.learningRate = 1e-12; // learns nothing
        spec.evaluation = {.everySteps = 2, .metric = EvaluationMetric::Accuracy, .patience = 2};
        QVERIFY(trainAsThreads(run("run"), spec).ok());
        QCOMPARE(stepsOf(run("run")).size(), std::size_t(6)); // best at 2, none better at 4 and 6
        const auto evaluations = evaluationsOf(run("run"));
        QVERIFY(evaluations[0].best && !evaluations[1].best && !evaluations[2].best);
        QVERIFY(eventsOf(run("run")).back().message.find("evaluation.patience") != std::string::npos);
    }

    void keepsTheBestCheckpoint()
    {
        RunSpec spec = evaluatedSpec(2, ComputeType::Float32);
        spec.evaluation.keepBest = true;
        spec.checkpoint.keepLast = 1;
        QVERIFY(trainAsThreads(run("run"), spec, {1, 20}).ok());
        const auto evaluations = evaluationsOf(run("run"));
        const auto best = std::ranges::min_element(evaluations, {}, &EvaluationRecord::loss);
        const std::string name = checkpointFolderName(Step{best->step});
        const fs::path checkpoints = run("run") / "checkpoints";
        QCOMPARE(readFile(checkpoints / kBestName).value(), name + "\n");
        QVERIFY(fs::exists(checkpoints / name));
        QVERIFY(fs::exists(checkpoints / "step-000000020"));
        QCOMPARE(int(std::distance(fs::directory_iterator(checkpoints), fs::directory_iterator())), 5);

        // A crash after the checkpoint got its name and before `best` did.
        QVERIFY(markAsBest(checkpoints, "step-000000001").ok());
        QVERIFY(trainAsThreads(run("run"), spec, {2, 20}).ok());
        QCOMPARE(readFile(checkpoints / kBestName).value(), name + "\n");
    }

    void namesTheFieldThatIsWrong_data()
    {
        QTest::addColumn<QString>("dataset");
        QTest::addColumn<EvaluationSpec>("evaluation");
        QTest::addColumn<QString>("said");
        const QString none = QString::fromStdString(data("none"));
        QTest::addRow("no test shards")
            << none << EvaluationSpec{.everySteps = 5} << "evaluation: has no rows";
        QTest::addRow("no test shards elsewhere")
            << QString::fromStdString(data("tiny")) << EvaluationSpec{.dataset = data("none")}
            << "evaluation.dataset: the data set";
        QTest::addRow("no data set") << none << EvaluationSpec{.dataset = "/nowhere"}
                                     << "evaluation.dataset: /nowhere";
        QTest::addRow("longer rows") << QString::fromStdString(data("short"))
                                     << EvaluationSpec{.dataset = data("tiny")}
                                     << "evaluation.dataset: the rows";
    }
    void namesTheFieldThatIsWrong()
    {
        QFETCH(QString, dataset);
        QFETCH(EvaluationSpec, evaluation);
        QFETCH(QString, said);
        RunSpec spec = tinySpec(dataset.toStdString(), 2, ComputeType::Float32);
        spec.evaluation = evaluation;
        const Status status = trainAsThreads(run("run"), spec);
        QVERIFY(!status.ok());
        QVERIFY2(QString::fromStdString(status.error().message).contains(said),
                 status.error().message.c_str());
        QVERIFY(!status.error().hint.empty());
    }

private:
    std::string data(const char* name) const { return m_folder.filePath(name).toStdString(); }
    fs::path run(const char* name) const { return m_run->filePath(name).toStdString(); }

    /// tinySpec, evaluated on all test rows every six steps.
    RunSpec evaluatedSpec(int ranks, ComputeType compute) const
    {
        RunSpec spec = tinySpec(data("tiny"), ranks, compute);
        spec.evaluation.everySteps = 6;
        return spec;
    }

    /// Evaluations in the journal, of repeated ones each.
    static int recordsOf(const fs::path& directory)
    {
        const auto journal = readJournal(directory / "journal" / "steps").value();
        return int(std::ranges::count_if(journal.records, [](const Record& record) {
            return std::holds_alternative<EvaluationRecord>(record.payload);
        }));
    }

    QTemporaryDir m_folder;
    std::unique_ptr<QTemporaryDir> m_run;
};

QTEST_APPLESS_MAIN(TestHeldOutEvaluation)
#include "tst_held_out_evaluation.moc"
