#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/mse_loss.h>
#include <c10/core/GradMode.h>
#include <nlohmann/json.hpp>

#include "datasets/metrics/answer_scores.h"
#include "datasets/metrics/confusion_matrix.h"
#include "datasets/metrics/correlation.h"
#include "datasets/metrics/entity_scores.h"
#include "datasets/metrics/span_search.h"
#include "datasets/shards/question_file.h"
#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/language_model.h"
#include "engine/spec/names.h"
#include "engine/spec/validate.h"
#include "engine/training/data/training_data.h"
#include "tests/auto/training/checkpoint_content.h"
#include "tests/auto/training/reference_rows.h"
#include "tests/auto/training/task_fixture.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/support/reference_data.h"

#include <QTemporaryDir>
#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr TaskKind kKinds[] = {TaskKind::Classify, TaskKind::Regress, TaskKind::Tag, TaskKind::Answer,
                               TaskKind::Complete};
constexpr std::uint64_t kTaskTestRows = TaskDataShape().testRows;

std::string nameOfKind(TaskKind kind)
{
    return std::string(nameOf(kind));
}

struct TaskLayout {
    const char* name;
    ParallelLayout parallel;
    MemorySpec memory{};
    bool packing = false;
};

const std::vector<TaskLayout>& taskLayouts()
{
    static const std::vector<TaskLayout> all{
        {"data 2", {.data = 2}},
        {"data 2, ZeRO 1", {.data = 2}, {.zeroStage = 1}},
        {"data 4, ZeRO 2", {.data = 4}, {.zeroStage = 2}},
        {"data 2, ZeRO 3, full recomputation",
         {.data = 2},
         {.zeroStage = 3, .recompute = RecomputeKind::Full}},
        {"tensor 2", {.tensor = 2}},
        {"data 2, tensor 2, sequence", {.data = 2, .tensor = 2, .sequence = true}},
        {"context 2", {.context = 2}},
        {"1f1b 2", {.pipeline = 2}},
        {"data 2, zero-bubble 2", {.data = 2, .pipeline = 2, .schedule = PipelineScheduleKind::ZeroBubble}},
        {"packing", {}, {}, true},
        {"tensor 2, sequence, packing", {.tensor = 2, .sequence = true}, {}, true},
    };
    return all;
}

void setLayout(RunSpec& spec, const TaskLayout& layout)
{
    spec.layout = layout.parallel;
    spec.memory = layout.memory;
    spec.batch = {8, 2, 4 / layout.parallel.data, layout.packing};
}

bool isNear(const std::optional<double>& a, const std::optional<double>& b, double bound = 1e-9)
{
    return a.has_value() == b.has_value() && (!a || std::abs(*a - *b) <= bound * std::max(1.0, std::abs(*b)));
}

bool areNear(const TaskMetrics& a, const TaskMetrics& b)
{
    return a.kind == b.kind && isNear(a.f1, b.f1) && isNear(a.matthews, b.matthews) &&
           isNear(a.pearson, b.pearson) && isNear(a.spearman, b.spearman) &&
           isNear(a.exactMatch, b.exactMatch);
}

void compareEvaluations(const std::vector<EvaluationRecord>& actual,
                        const std::vector<EvaluationRecord>& expected)
{
    const double difference = largestDifference(expected, actual);
    QVERIFY2(difference < 1e-9, qPrintable(QString::number(difference)));
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY(areNear(actual[i].task, expected[i].task));
}

std::vector<double> numbersOf(const at::Tensor& values)
{
    const at::Tensor flat = values.to(at::kDouble).reshape({-1}).contiguous();
    return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

/// The figures of all test rows at once, from the logits of one model.
EvaluationRecord expectedRecord(const LanguageModel& model, const fs::path& folder, const RowBlock& rows)
{
    const c10::AutoGradMode noGraph(false);
    std::vector<std::uint64_t> numbers(rows.rows);
    const TokenBatch batch = makeMicroBatch(rows, model.spec().family, numbers).batch;
    const Logits logits = model.logits(batch, std::nullopt);
    const TaskKind kind = rows.task;
    EvaluationRecord record;
    record.task.kind = kind == TaskKind::Complete ? TaskKind::None : kind;
    const auto shareOf = [](const at::Tensor& right) { return right.to(at::kDouble).mean().item<double>(); };
    const std::vector<std::string> names = Manifest::load(folder).value().task.labels;
    switch (kind) {
    case TaskKind::Classify: {
        const at::Tensor classes = logits.sequences.argmax(1);
        record.loss = at::cross_entropy_loss(logits.sequences, batch.sequenceLabels).item<double>();
        record.tokenAccuracy = shareOf(classes.eq(batch.sequenceLabels));
        ConfusionMatrix counts(kTaskLabels);
        for (std::size_t row = 0; row < rows.rows; ++row)
            counts.add(rows.labels[row], int(classes[std::int64_t(row)].item<std::int64_t>()));
        record.task.f1 = counts.macroF1();
        record.task.matthews = counts.matthews();
        break;
    }
    case TaskKind::Regress: {
        const at::Tensor values = logits.sequences.squeeze(1);
        record.loss = at::mse_loss(values, batch.sequenceLabels).item<double>();
        record.task.pearson = pearsonCorrelation(numbersOf(values), rows.values);
        record.task.spearman = spearmanCorrelation(numbersOf(values), rows.values);
        break;
    }
    case TaskKind::Tag: {
        const at::Tensor classes = logits.tokens.argmax(1);
        record.loss = at::cross_entropy_loss(logits.tokens, batch.targets).item<double>();
        record.tokenAccuracy = shareOf(classes.eq(batch.targets));
        EntityScores scores;
        std::int64_t target = 0;
        for (std::size_t row = 0; row < rows.rows; ++row) {
            std::vector<std::string> expected, predicted;
            for (std::size_t i = row * kTaskLength; i < (row + 1) * kTaskLength; ++i) {
                if (rows.labels[i] == RowBlock::kNoLabel)
                    continue;
                expected.push_back(names[std::size_t(rows.labels[i])]);
                predicted.push_back(names[std::size_t(classes[target++].item<std::int64_t>())]);
            }
            scores.add(expected, predicted);
        }
        record.task.f1 = scores.f1();
        break;
    }
    case TaskKind::Answer: {
        const at::Tensor first = logits.sequences.select(1, 0);
        const at::Tensor last = logits.sequences.select(1, 1);
        record.loss = (at::cross_entropy_loss(first, batch.sequenceLabels.select(1, 0)).item<double>() +
                       at::cross_entropy_loss(last, batch.sequenceLabels.select(1, 1)).item<double>()) /
                      2;
        const auto questions = readQuestions(folder / "questions.jsonl").value();
        AnswerScores scores(AnswerScores::Rules::Squad2);
        for (std::size_t row = 0, next = 0; row < rows.rows; row = next) {
            std::vector<std::vector<double>> logits; // of the rows of one question
            std::vector<ScoredRow> scored;
            for (next = row; next < rows.rows && rows.questions[next] == rows.questions[row]; ++next) {
                logits.push_back(numbersOf(first[std::int64_t(next)]));
                logits.push_back(numbersOf(last[std::int64_t(next)]));
            }
            for (std::size_t i = row; i < next; ++i)
                scored.push_back({logits[2 * (i - row)], logits[2 * (i - row) + 1],
                                  std::span(rows.tokenBegins).subspan(i * kTaskLength, kTaskLength),
                                  std::span(rows.tokenEnds).subspan(i * kTaskLength, kTaskLength)});
            const FoundSpan best = bestSpans(scored, {.allowsNoAnswer = true}).front();
            const HeldOutQuestion& question = questions[std::size_t(rows.questions[row])];
            scores.add(question.context.substr(best.begin, best.end - best.begin), question.answers);
        }
        record.task.f1 = scores.f1();
        record.task.exactMatch = scores.exactMatch();
        record.tokenAccuracy = scores.exactMatch() / 100;
        break;
    }
    default: // the loss of the full rows at the tokens of the completions
        for (std::size_t i = 0, target = 0; i < rows.labels.size(); ++i) {
            if (rows.labels[i] == RowBlock::kNoLabel)
                continue;
            if (batch.targets[std::int64_t(target)].item<std::int64_t>() != rows.inputIds[i] ||
                batch.targetPositions[std::int64_t(target++)].item<std::int64_t>() != std::int64_t(i) - 1)
                qFatal("a completion's token is not predicted from the one before it");
        }
        record.loss = at::cross_entropy_loss(logits.tokens, batch.targets).item<double>();
        record.tokenAccuracy = shareOf(logits.tokens.argmax(1).eq(batch.targets));
    }
    return record;
}

} // namespace

class TestTaskTraining : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        for (const TaskKind kind : kKinds)
            QVERIFY(writeTaskDataset(data(kind), kind).ok());
    }
    void init() { m_run = std::make_unique<QTemporaryDir>(); }

    void trainsAlikeInEveryLayout_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("layout");
        for (const TaskKind kind : kKinds) {
            for (std::size_t i = 0; i < taskLayouts().size(); ++i) {
                const TaskLayout& layout = taskLayouts()[i];
                const bool sharesRows = layout.parallel.context > 1 || layout.packing;
                if (kind != TaskKind::Answer || !sharesRows)
                    QTest::addRow("%s, %s", nameOfKind(kind).c_str(), layout.name) << int(kind) << int(i);
            }
        }
    }
    void trainsAlikeInEveryLayout()
    {
        QFETCH(int, kind);
        QFETCH(int, layout);
        RunSpec spec = specOf(TaskKind(kind));
        QVERIFY(trainAsThreads(run("one"), spec, {1, 6}).ok());
        setLayout(spec, taskLayouts()[std::size_t(layout)]);
        QVERIFY(validate(spec).empty());
        const Status status = trainAsThreads(run("shared"), spec, {1, 6});
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        const double losses = largestDifference(stepsOf(run("one")), stepsOf(run("shared")));
        const double norms = largestNormDifference(stepsOf(run("one")), stepsOf(run("shared")));
        qInfo("largest relative difference: losses %.1e, gradient norms %.1e", losses, norms);
        QVERIFY(losses < 1e-9 && norms < 1e-9);
        QCOMPARE(evaluationsOf(run("one")).size(), std::size_t(2));
        compareEvaluations(evaluationsOf(run("shared")), evaluationsOf(run("one")));
    }

    void resumesExactly_data() { addKinds(); }
    void resumesExactly()
    {
        QFETCH(int, kind);
        RunSpec spec = specOf(TaskKind(kind));
        setLayout(spec, {"", {.data = 2}, {.zeroStage = 2}});
        QVERIFY(trainAsThreads(run("whole"), spec, {1, 6}).ok());
        QVERIFY(trainAsThreads(run("broken"), spec, {1, 4}).ok());
        QVERIFY(trainAsThreads(run("broken"), spec, {2, 6}).ok());
        QCOMPARE(largestDifference(stepsOf(run("whole")), stepsOf(run("broken"))), 0.0);
        QVERIFY(evaluationsOf(run("whole")).back().task == evaluationsOf(run("broken")).back().task);
        QVERIFY(latestContentOf(run("whole")).value() == latestContentOf(run("broken")).value());
    }

    void givesTheFiguresOfAllTestRows_data() { addKinds(); }
    void givesTheFiguresOfAllTestRows()
    {
        QFETCH(int, kind);
        const RunSpec spec = specOf(TaskKind(kind));
        QVERIFY(trainAsThreads(run("run"), spec, {1, 3}).ok());
        const EvaluationRecord record = evaluationsOf(run("run")).back();
        const auto model = StoredModel::open(run("run")).value().load(ComputeType::Float64).value();
        const RowBlock rows = taskRows(TaskKind(kind), kTaskTestRows, TaskDataShape().flavour + 1);
        const EvaluationRecord expected = expectedRecord(*model, data(TaskKind(kind)), rows);
        QCOMPARE(record.rows, std::int64_t(kTaskTestRows));
        QVERIFY2(std::abs(record.loss - expected.loss) < 1e-12, qPrintable(QString::number(record.loss)));
        QVERIFY(std::abs(record.tokenAccuracy - expected.tokenAccuracy) < 1e-12);
        QVERIFY(areNear(record.task, expected.task));
        QVERIFY(!record.sequenceAccuracy && !record.bitsPerByte);
    }

    void reproducesHuggingFacesLossSeries_data()
    {
        QTest::addColumn<int>("kind");
        for (const TaskKind kind : {TaskKind::Classify, TaskKind::Regress, TaskKind::Tag, TaskKind::Answer})
            QTest::addRow("%s", nameOfKind(kind).c_str()) << int(kind);
    }
    /// The trainer begins with the reference's weights and reads its four rows from a shard.
    void reproducesHuggingFacesLossSeries()
    {
        QFETCH(int, kind);
        const fs::path folder = referenceTask(TaskKind(kind));
        NEEDS_REFERENCE(folder);
        RunSpec spec = specOf(TaskKind(kind));
        const StoredModel stored = StoredModel::open(folder).value();
        spec.model = stored.spec();
        const int labels = spec.model.task.hasLabels() ? spec.model.task.labels : 0;
        QVERIFY(writeTaskRows(run("rows"), referenceRows(folder, spec.model.task), spec.model.vocabulary,
                              labels, true)
                    .ok());
        const auto expected = nlohmann::json::parse(readFile(folder / "expected.json").value()).at("adamw");
        spec.dataset.path = run("rows").string();
        spec.init.path = folder.string();
        spec.evaluation = {.batches = 0};
        spec.layout = {.data = 2};
        spec.cluster.nodes.front().slotCount = 2;
        spec.batch = {4, 1, 2};
        spec.optimizer = {.learningRate = expected.at("lr"),
                          .epsilon = expected.at("eps"),
                          .weightDecay = expected.at("weight_decay"),
                          .clipNorm = expected.at("clip"),
                          .schedule = ScheduleKind::Constant};
        const Status status = trainAsThreads(run("run"), spec, {1, 20});
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        const auto steps = stepsOf(run("run"));
        QCOMPARE(steps.size(), std::size_t(20));
        double worst = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const double loss = expected.at("losses")[i];
            const double norm = expected.at("grad_norms")[i];
            worst = std::max({worst, std::abs(steps[i].loss - loss) / loss,
                              std::abs(steps[i].gradientNorm - norm) / norm});
        }
        qInfo("largest relative difference %.1e", worst);
        QVERIFY(worst < 1e-8);
    }

    void learnsToClassify()
    {
        RunSpec spec = specOf(TaskKind::Classify);
        spec.precision.compute = ComputeType::Float32;
        spec.optimizer.learningRate = 5e-3;
        spec.launch.steps = 120;
        spec.evaluation = {.everySteps = 10,
                           .batches = 100,
                           .metric = EvaluationMetric::Accuracy,
                           .target = 0.95,
                           .keepBest = true};
        spec.dataset.path = data("large").string();
        QVERIFY(writeTaskDataset(data("large"), TaskKind::Classify, {.rows = 400, .testRows = 100}).ok());
        QVERIFY(trainAsThreads(run("run"), spec).ok());
        const EvaluationRecord last = evaluationsOf(run("run")).back();
        qInfo("accuracy %.3f, F1 %.3f after %d steps", last.tokenAccuracy, last.task.f1.value_or(0),
              int(last.step));
        QVERIFY(last.tokenAccuracy >= 0.95 && last.task.f1 > 0.9 && last.best);
        QVERIFY(last.step < 120); // the target ended the run
        QVERIFY(eventsOf(run("run")).back().message.find("reaches evaluation.target") != std::string::npos);
        QCOMPARE(readFile(run("run") / "checkpoints" / kBestName).value(),
                 checkpointFolderName(Step{last.step}) + "\n");
    }

    void beginsWithPretrainedWeightsAndDrawsTheHead()
    {
        QVERIFY(writeDataset(data("text"), {.length = 32}).ok());
        const RunSpec before = tinySpec(data("text"), 1, ComputeType::Float64);
        QVERIFY(trainAsThreads(run("pretrained"), before, {1, 2}).ok());
        for (const TaskKind kind : {TaskKind::Classify, TaskKind::Tag, TaskKind::Answer}) {
            RunSpec spec = specOf(kind);
            spec.init.path = run("pretrained").string();
            const fs::path tuned = run(nameOfKind(kind).c_str());
            QVERIFY(trainAsThreads(tuned, spec, {1, 3}).ok());
            const auto events = eventsOf(tuned);
            const auto loaded = std::ranges::find(events, "weights-loaded", &EventRecord::kind);
            QVERIFY(loaded != events.end());
            const std::string head = kind == TaskKind::Answer ? "qa_outputs.weight" : "classifier.weight";
            QVERIFY2(loaded->message.find("drawn at random") != std::string::npos &&
                         loaded->message.find(head) != std::string::npos,
                     loaded->message.c_str());
            QVERIFY2(loaded->message.find("left out") != std::string::npos, loaded->message.c_str());
        }
    }

    void phasesKeepTheTask()
    {
        RunSpec spec = specOf(TaskKind::Classify);
        spec.launch.steps = 6;
        spec.phases = {{.name = "a", .steps = 3},
                       {.name = "b",
                        .steps = 3,
                        .optimizer = {.learningRate = 1e-4},
                        .named = {"optimizer.learning_rate"}}};
        QVERIFY(trainAsThreads(run("whole"), spec).ok());
        QVERIFY(trainAsThreads(run("broken"), spec, {1, 4}).ok());
        QVERIFY(trainAsThreads(run("broken"), spec, {2, 0}).ok());
        QCOMPARE(stepsOf(run("whole")).size(), std::size_t(6));
        QCOMPARE(largestDifference(stepsOf(run("whole")), stepsOf(run("broken"))), 0.0);
    }

    void namesTheLabelThatIsWrong_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("said");
        QTest::addRow("classify") << int(TaskKind::Classify)
                                  << "row 5 has label 7, and the data set has the labels 0 to 2";
        QTest::addRow("regress") << int(TaskKind::Regress) << "row 5 has the value nan";
        QTest::addRow("tag") << int(TaskKind::Tag)
                             << "row 5 has label 7, and the data set has the labels 0 to 2";
        QTest::addRow("answer") << int(TaskKind::Answer)
                                << "row 5 has an answer from token 3 to 24, and its tokens are 0 to 23";
        QTest::addRow("complete") << int(TaskKind::Complete) << "row 5 has label 7 on token";
    }
    void namesTheLabelThatIsWrong()
    {
        QFETCH(int, kind);
        QFETCH(QString, said);
        RowBlock rows = taskRows(TaskKind(kind), 8, 1);
        spoil(rows, 5);
        const int labels = TaskSpec{.kind = TaskKind(kind)}.hasLabels() ? kTaskLabels : 0;
        QVERIFY(writeTaskRows(run("rows"), rows, 97, labels, true).ok());
        RunSpec spec = specOf(TaskKind(kind));
        spec.dataset.path = run("rows").string();
        spec.evaluation = {};
        verifyRefused(spec, "rows/task_training_0.hdf5: " + said);
    }

    void namesTheFieldThatIsWrong()
    {
        RunSpec spec = specOf(TaskKind::Classify);
        spec.model.task.kind = TaskKind::Tag;
        verifyRefused(spec, "task.kind: is tag, and the rows of the data set");
        spec.model.task = {};
        verifyRefused(spec, "task.kind: is none, and the rows of the data set");
        spec.model.task = {.kind = TaskKind::Classify, .labels = 4};
        verifyRefused(spec, "task.labels: is 4, and the data set");
        spec = specOf(TaskKind::Classify);
        spec.dataset.path = data("untested").string();
        QVERIFY(writeTaskDataset(data("untested"), TaskKind::Classify, {.testRows = 0}).ok());
        verifyRefused(spec, "evaluation: has no rows");
        spec.evaluation.dataset = data(TaskKind::Tag).string();
        verifyRefused(spec, "are for tag");
        spec.evaluation.dataset = data("renamed").string();
        QVERIFY(writeTaskDataset(data("renamed"), TaskKind::Classify).ok());
        Manifest manifest = Manifest::load(data("renamed")).value();
        std::ranges::reverse(manifest.task.labels);
        QVERIFY(writeFileAtomically(data("renamed") / Manifest::kFileName, manifest.toJson()).ok());
        verifyRefused(spec, "evaluation.dataset: the labels of the data set");
    }

    void namesTheQuestionsThatAreMissing()
    {
        RunSpec spec = specOf(TaskKind::Answer);
        setLayout(spec, {"", {.data = 2}});
        QVERIFY(writeTaskDataset(data("asked"), TaskKind::Answer).ok());
        spec.dataset.path = data("asked").string();
        fs::remove(data("asked") / "questions.jsonl");
        verifyRefused(spec, "questions.jsonl");
        QVERIFY(writeFileAtomically(data("asked") / "questions.jsonl", "{\"context\": \"a\"}\n").ok());
        verifyRefused(spec, "questions.jsonl: line 1");
        QVERIFY(
            writeFileAtomically(data("asked") / "questions.jsonl", "{\"context\": \"a\", \"answers\": []}\n")
                .ok());
        verifyRefused(spec, "questions.jsonl has 1 question");
    }

    void refusesLayoutsThatShareTheRowsOfAnswers()
    {
        RunSpec spec = specOf(TaskKind::Answer);
        spec.layout.context = 2;
        spec.cluster.nodes.front().slotCount = 2;
        QCOMPARE(validate(spec).front().path, std::string("layout.context"));
        spec.layout.context = 1;
        spec.batch.packing = true;
        QCOMPARE(validate(spec).front().path, std::string("batch.packing"));
    }

private:
    static void addKinds()
    {
        QTest::addColumn<int>("kind");
        for (const TaskKind kind : kKinds)
            QTest::addRow("%s", nameOfKind(kind).c_str()) << int(kind);
    }

    fs::path data(const char* name) const { return m_folder.filePath(name).toStdString(); }
    fs::path data(TaskKind kind) const { return data(nameOfKind(kind).c_str()); }
    fs::path run(const char* name) const { return m_run->filePath(name).toStdString(); }

    RunSpec specOf(TaskKind kind) const
    {
        RunSpec spec = taskSpec(data(kind), kind);
        spec.cluster.nodes.front().slotCount = 8;
        return spec;
    }

    static void spoil(RowBlock& rows, std::size_t row)
    {
        const std::size_t token = row * kTaskLength + 1;
        switch (rows.task) {
        case TaskKind::Classify:
            rows.labels[row] = 7;
            break;
        case TaskKind::Regress:
            rows.values[row] = std::nan("");
            break;
        case TaskKind::Answer:
            rows.startPositions[row] = 3;
            rows.endPositions[row] = kTaskLength;
            break;
        default:
            rows.labels[token] = 7;
        }
    }

    void verifyRefused(const RunSpec& spec, const QString& said)
    {
        const Status status = trainAsThreads(run("run"), spec, {1, 3});
        QVERIFY(!status.ok());
        QVERIFY2(QString::fromStdString(status.error().message).contains(said),
                 status.error().message.c_str());
        QVERIFY(!status.error().hint.empty());
        fs::remove_all(run("run"));
    }

    QTemporaryDir m_folder;
    std::unique_ptr<QTemporaryDir> m_run;
};

QTEST_APPLESS_MAIN(TestTaskTraining)
#include "tst_task_training.moc"
