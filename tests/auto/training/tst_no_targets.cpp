#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include "engine/memory/accounting_allocator.h"
#include "engine/nn/families/model_head.h"
#include "engine/parallel/pipeline/pipeline_executor.h"
#include "engine/spec/names.h"
#include "tests/auto/training/task_fixture.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

#include <QTemporaryDir>
#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace fs = std::filesystem;

/// Global batches in which nothing is to be predicted.
class TestNoTargets : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
    }

    void aMeanOverNothingIsZero()
    {
        LossSums sums;
        sums.tokens = at::zeros({}, at::kDouble);
        QCOMPARE(sums.normalised(0, 8).item<double>(), 0.0);
        sums.sequences = at::zeros({}, at::kDouble);
        QCOMPARE(sums.normalised(0, 0).item<double>(), 0.0);
        QCOMPARE(StepPasses().routerLossScale(TokenBatch()), 0.0);
    }

    void trainsOn_data()
    {
        QTest::addColumn<int>("task");
        QTest::addColumn<int>("optimizer");
        for (const TaskKind task : {TaskKind::Tag, TaskKind::Complete}) {
            for (const OptimizerKind optimizer :
                 {OptimizerKind::AdamW, OptimizerKind::Lamb, OptimizerKind::LambPaper, OptimizerKind::Lans,
                  OptimizerKind::Sgd})
                QTest::addRow("%s, %s", std::string(nameOf(task)).c_str(),
                              std::string(nameOf(optimizer)).c_str())
                    << int(task) << int(optimizer);
        }
    }
    void trainsOn()
    {
        QFETCH(const int, task);
        QFETCH(const int, optimizer);
        const auto kind = TaskKind(task);
        const QTemporaryDir folder;
        const fs::path data = folder.filePath("data").toStdString();
        const fs::path judged = folder.filePath("judged").toStdString();
        const int vocabulary = DatasetShape().vocabulary;
        const int labels = TaskSpec{.kind = kind}.hasLabels() ? kTaskLabels : 0;
        RowBlock rows = taskRows(kind, 32, 1);
        std::ranges::fill(rows.labels, RowBlock::kNoLabel);
        QVERIFY(writeTaskRows(data, rows, vocabulary, labels, true).ok());
        QVERIFY(writeTaskRows(judged, taskRows(kind, 8, 2), vocabulary, labels, false).ok());

        RunSpec spec = taskSpec(data, kind);
        spec.optimizer.kind = OptimizerKind(optimizer);
        spec.evaluation.dataset = judged.string();
        spec.evaluation.everySteps = 1;
        const fs::path run = folder.filePath("run").toStdString();
        const Status status = trainAsThreads(run, spec, {.lastStep = 3});
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().message.c_str());
        const std::vector<StepRecord> steps = stepsOf(run);
        QCOMPARE(steps.size(), std::size_t(3));
        for (const StepRecord& step : steps) {
            QCOMPARE(step.loss, 0.0);
            QCOMPARE(step.gradientNorm, 0.0);
        }
        // The weights that the updates left.
        for (const EvaluationRecord& evaluation : evaluationsOf(run))
            QVERIFY(std::isfinite(evaluation.loss) && evaluation.loss > 0);
        QCOMPARE(evaluationsOf(run).size(), std::size_t(3));
    }
};

QTEST_APPLESS_MAIN(TestNoTargets)
#include "tst_no_targets.moc"
