#include <QTest>

#include "engine/spec/data_set_rules.h"
#include "engine/spec/presets.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

/// Rules that a specification and the rows of its data set must keep together.
class TestDataSetRules : public QObject {
    Q_OBJECT

private slots:
    void holdsTheModelAgainstTheDataSet()
    {
        RunSpec spec = validSpec();
        const DataSetShape fits{spec.model.vocabulary, spec.model.maxPositions, 32};
        QCOMPARE(print(dataSetProblems(spec, fits)), "");
        QCOMPARE(print(dataSetRemarks(spec, fits)), "");
        const QString problems = print(dataSetProblems(spec, {40000, 1024, 32}));
        QVERIFY2(problems.contains("set model.vocabulary to 40000"), qPrintable(problems));
        QVERIFY2(problems.contains("set model.max_positions to at least 1024"), qPrintable(problems));
        const QString remarks = print(dataSetRemarks(spec, {100, 128, 31}));
        QVERIFY2(remarks.contains("batch.global: is 32") && remarks.contains("31 training rows"),
                 qPrintable(remarks));
    }

    void holdsTheTaskAgainstTheRows()
    {
        RunSpec spec = validSpec();
        DataSetShape rows{spec.model.vocabulary, 128, 1000};
        spec.model.task = {.kind = TaskKind::Classify, .labels = 3};
        QVERIFY(print(dataSetProblems(spec, rows))
                    .contains("are for pre-training | set task.kind to none, or prepare a data set with "
                              "--task classify"));
        rows.objective = "classify";
        rows.labels = 3;
        QCOMPARE(print(dataSetProblems(spec, rows)), "");
        rows.labels = 5;
        QVERIFY(print(dataSetProblems(spec, rows)).contains("set task.labels to 5"));
        spec.model.task = {};
        QVERIFY(print(dataSetProblems(spec, rows)).contains("set task.kind to classify"));
    }

    void wantsTestRowsForATask()
    {
        RunSpec spec = validSpec();
        spec.model.task.kind = TaskKind::Regress;
        spec.evaluation.everySteps = 10;
        const DataSetShape rows{.vocabularySize = spec.model.vocabulary,
                                .sequenceLength = 128,
                                .trainingRows = 1000,
                                .objective = "regress",
                                .testRows = 0};
        QVERIFY(print(dataSetProblems(spec, rows)).contains("prepare it with --held-out or --test-fraction"));
        spec.evaluation.metric = EvaluationMetric::Accuracy;
        QVERIFY(print(validate(spec)).contains("evaluation.metric: is accuracy, and no number"));
        spec.evaluation.metric = EvaluationMetric::Loss;
        QCOMPARE(print(validate(spec)), "");
    }

    void wantsTestRowsWhereEvaluationIsAskedFor()
    {
        RunSpec spec = validSpec();
        DataSetShape rows{spec.model.vocabulary, 128, 1000};
        rows.testRows = 0;
        QCOMPARE(print(dataSetProblems(spec, rows)), "");
        spec.evaluation.everySteps = 10;
        QVERIFY(print(dataSetProblems(spec, rows)).contains("evaluation: has no rows"));
        spec.evaluation.batches = 0;
        QCOMPARE(print(dataSetProblems(spec, rows)), "");
        spec.evaluation = {.dataset = "/data/held-out"};
        QCOMPARE(print(dataSetProblems(spec, rows)), "");
        const QString apart = print(evaluationDataProblems(spec, rows, 64));
        QVERIFY2(apart.contains("evaluation.dataset: the data set /data/held-out has no test rows") &&
                     apart.contains("more than the 64 of the training rows"),
                 qPrintable(apart));
        rows.testRows = 10;
        QCOMPARE(print(evaluationDataProblems(spec, rows, 128)), "");
    }

    void holdsTheModelAgainstWhatTheRowsTeach()
    {
        RunSpec bert = validSpec();
        QCOMPARE(bert.model.family, ModelFamily::Bert);
        const auto rows = [&](const char* objective, const char* nextSentence = "random") {
            return DataSetShape{bert.model.vocabulary, 128, 1000, {}, objective, nextSentence};
        };
        QVERIFY(print(dataSetProblems(bert, rows("gpt"))).contains("model.family: is bert"));
        const QString masks = print(dataSetProblems(bert, rows("mlm")));
        QVERIFY2(masks.contains("set model.next_sentence to false"), qPrintable(masks));
        QCOMPARE(print(dataSetProblems(bert, rows("bert", "none"))), "");
        QVERIFY(print(dataSetRemarks(bert, rows("bert", "none"))).contains("model.next_sentence: is true"));
        QCOMPARE(print(dataSetRemarks(bert, rows("bert", "swap"))), "");
        bert.model.nextSentence = false;
        QCOMPARE(print(dataSetProblems(bert, rows("mlm"))), "");
        QCOMPARE(print(dataSetRemarks(bert, rows("bert", "none"))), "");
        RunSpec gpt = bert;
        gpt.model.family = ModelFamily::Gpt;
        for (const char* objective : {"bert", "mlm", "gpt"})
            QCOMPARE(print(dataSetProblems(gpt, rows(objective))), "");
    }

    void holdsPackingAgainstThePaddingOfTheDataSet()
    {
        RunSpec spec = validSpec();
        const auto remarks = [&](double paddingShare) {
            return print(dataSetRemarks(spec, {spec.model.vocabulary, 128, 1000, paddingShare}));
        };
        QVERIFY2(remarks(0.231).contains("batch.packing: is off, and 23 %"), qPrintable(remarks(0.231)));
        QCOMPARE(remarks(0.09), "");
        spec.batch.packing = true;
        QCOMPARE(remarks(0.231), "");
        QVERIFY2(remarks(0).contains("batch.packing: has no effect"), qPrintable(remarks(0)));
    }

    void refusesRanksThatCannotShareTheTokens()
    {
        RunSpec spec = validSpec();
        spec.layout.context = 3;
        QCOMPARE(print(sharingProblems(spec, 128)), "");
        QCOMPARE(print(sharingProblems(spec, 3)), "");
        const QString tooShort = print(sharingProblems(spec, 2));
        QVERIFY2(tooShort.contains("layout.context") && tooShort.contains("use at most 2"),
                 qPrintable(tooShort));
        // 128 = 43 + 43 + 42 tokens, of which tensor ranks can share only an even number of rows evenly.
        spec.layout.tensor = 2;
        spec.layout.sequence = true;
        spec.batch.micro = 3;
        const QString uneven = print(sharingProblems(spec, 128));
        QVERIFY2(uneven.contains("layout.sequence") && uneven.contains("make batch.micro a multiple of 2"),
                 qPrintable(uneven));
        QVERIFY(print(dataSetProblems(spec, {100, 128, 32})).contains("layout.sequence"));
        spec.batch.micro = 4;
        QCOMPARE(print(sharingProblems(spec, 128)), "");
    }

    void refusesAttentionBeyondItsDropoutMasks()
    {
        RunSpec spec = validSpec();
        spec.model = *modelPreset("gpt2-xl");
        spec.model.maxPositions = 32768;
        QVERIFY(print(sharingProblems(spec, 32768)).contains("set model.attention_dropout to 0"));
        QCOMPARE(print(sharingProblems(spec, 16384)), "");
        spec.model.attentionDropout = 0;
        QCOMPARE(print(sharingProblems(spec, 32768)), "");
    }
};

QTEST_APPLESS_MAIN(TestDataSetRules)
#include "tst_data_set_rules.moc"
