#include <algorithm>
#include <cmath>
#include <filesystem>

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/evaluation/data_set_evaluation.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/spec/names.h"
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

Result<EvaluationRecord> evaluate(const fs::path& model, const DataSetEvaluationOptions& options)
{
    TRAINYARD_TRY(const StoredModel stored, StoredModel::open(model));
    return evaluateOnDataSet(stored, options);
}

std::string problemOf(const Result<EvaluationRecord>& record)
{
    return record.ok() ? std::string() : record.error().text();
}

} // namespace

/// `eval --data` of models that were fine-tuned, and of decoders on completions.
class TestTaskEvaluation : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        for (const TaskKind kind : kKinds) {
            QVERIFY(writeTaskDataset(data(kind), kind).ok());
            QVERIFY(trainAsThreads(run(kind), taskSpec(data(kind), kind), {1, 3}).ok());
        }
        QVERIFY(writeDataset(path("masked"), {.length = 24, .testRows = 3}).ok());
        QVERIFY(writeTaskRows(path("five"), taskRows(TaskKind::Classify, 4, 1), 97, 5, false).ok());
    }

    void givesWhatTheRunRecorded_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<ParallelLayout>("layout");
        for (const TaskKind kind : kKinds) {
            const std::string name(nameOf(kind));
            QTest::addRow("%s, one rank", name.c_str()) << int(kind) << ParallelLayout{};
            QTest::addRow("%s, data 2, tensor 2", name.c_str())
                << int(kind) << ParallelLayout{.data = 2, .tensor = 2};
        }
    }
    void givesWhatTheRunRecorded()
    {
        QFETCH(int, kind);
        QFETCH(ParallelLayout, layout);
        DataSetEvaluationOptions options{data(TaskKind(kind)), 0, ComputeType::Float64};
        RunSpec shared;
        shared.layout = layout;
        shared.batch = {8, 2, 4 / layout.data};
        options.layout = shared;
        const auto record = evaluate(run(TaskKind(kind)), options);
        QCOMPARE(problemOf(record), std::string());
        EvaluationRecord recorded = evaluationsOf(run(TaskKind(kind))).back();
        recorded.step = 0;
        recorded.best = false;
        QVERIFY(largestDifference({recorded}, {*record}) < 1e-9);
        const bool sameMetrics =
            nearly(record->task.f1, recorded.task.f1) && nearly(record->task.pearson, recorded.task.pearson);
        QVERIFY(sameMetrics && record->task.kind == recorded.task.kind);
        const std::string json = evaluationJson(*record, ModelFamily::Bert);
        const bool hasClasses = TaskSpec{.kind = TaskKind(kind)}.hasLabels();
        QCOMPARE(json.find("\"f1\":") != std::string::npos, hasClasses || TaskKind(kind) == TaskKind::Answer);
    }

    void givesHuggingFacesLoss_data()
    {
        QTest::addColumn<int>("kind");
        for (const TaskKind kind : {TaskKind::Classify, TaskKind::Regress, TaskKind::Tag})
            QTest::addRow("%s", std::string(nameOf(kind)).c_str()) << int(kind);
    }
    void givesHuggingFacesLoss()
    {
        QFETCH(int, kind);
        const fs::path folder = referenceTask(TaskKind(kind));
        NEEDS_REFERENCE(folder);
        const TaskSpec task = StoredModel::open(folder).value().spec().task;
        const fs::path rows = path(("reference-" + std::string(nameOf(TaskKind(kind)))).c_str());
        QVERIFY(
            writeTaskRows(rows, referenceRows(folder, task), 97, task.hasLabels() ? task.labels : 0, false)
                .ok());
        const auto record = evaluate(folder, {rows, 0, ComputeType::Float64});
        QCOMPARE(problemOf(record), std::string());
        const double loss =
            nlohmann::json::parse(readFile(folder / "expected.json").value()).at("loss").get<double>();
        QVERIFY2(std::abs(record->loss - loss) < 1e-9 * loss,
                 qPrintable(QString::number(record->loss, 'g', 12)));
    }

    void everyDecoderCompletes()
    {
        RunSpec spec = tinySpec(path("text"), 1, ComputeType::Float64);
        spec.model.setFamily(ModelFamily::Gpt);
        QVERIFY(writeDataset(path("text"), {.predictions = 0, .testRows = 5}).ok());
        QVERIFY(trainAsThreads(path("pretrained"), spec, {1, 2}).ok());
        const auto completions =
            evaluate(path("pretrained"), {data(TaskKind::Complete), 0, ComputeType::Float64});
        QCOMPARE(problemOf(completions), std::string());
        const RowBlock rows =
            taskRows(TaskKind::Complete, TaskDataShape().testRows, TaskDataShape().flavour + 1);
        QCOMPARE(completions->tokens,
                 std::int64_t(rows.labels.size() -
                              std::size_t(std::ranges::count(rows.labels, RowBlock::kNoLabel))));
        const auto text = evaluate(run(TaskKind::Complete), {path("text"), 0, ComputeType::Float64});
        QCOMPARE(problemOf(text), std::string());
        QCOMPARE(text->tokens, std::int64_t(5 * 31));
    }

    void refusesRowsOfAnotherTask_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("rows");
        QTest::addColumn<QString>("said");
        QTest::addRow("another task") << int(TaskKind::Classify) << "tag" << "are for tag";
        QTest::addRow("pre-training") << int(TaskKind::Classify) << "masked" << "are for pre-training";
        QTest::addRow("other labels") << int(TaskKind::Classify) << "five" << "has 5 labels";
        QTest::addRow("an encoder's") << int(TaskKind::Complete) << "classify" << "are for classify";
    }
    void refusesRowsOfAnotherTask()
    {
        QFETCH(int, model);
        QFETCH(QString, rows);
        QFETCH(QString, said);
        const auto record = evaluate(run(TaskKind(model)), {path(qPrintable(rows))});
        QVERIFY(!record.ok());
        QVERIFY2(problemOf(record).find(said.toStdString()) != std::string::npos, problemOf(record).c_str());
        QVERIFY(!record.error().hint.empty());
    }

private:
    static bool nearly(const std::optional<double>& a, const std::optional<double>& b)
    {
        return a.has_value() == b.has_value() && std::abs(a.value_or(0) - b.value_or(0)) < 1e-9;
    }

    fs::path path(const char* name) const { return m_folder.filePath(name).toStdString(); }
    fs::path data(TaskKind kind) const { return path(std::string(nameOf(kind)).c_str()); }
    fs::path run(TaskKind kind) const { return path((std::string(nameOf(kind)) + "-run").c_str()); }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestTaskEvaluation)
#include "tst_task_evaluation.moc"
