#include <QAbstractItemModelTester>
#include <QTest>

#include "app/trial/model/mask_answer_model.h"
#include "app/trial/model/trial_answer.h"
#include "app/trial/model/trial_model.h"

using namespace trainyard;

namespace {

const QString kContinued = "{\"prompt\":0,\"token\":7,\"text\":\" leaves\"}\n"
                           "{\"prompt\":0,\"token\":8,\"text\":\"s “früh”\"}\n"
                           "{\"tokens\":[[5,7,8]],\"text\":[\"train leavess “früh”\"]}\n";
const QString kFilled =
    "{\"masks\":[[{\"position\":2,\"answers\":[{\"token\":5,\"probability\":0.75,\"text\":\"train\"},"
    "{\"token\":6,\"probability\":0.125,\"text\":\"bus\"}]},"
    "{\"position\":4,\"answers\":[{\"token\":8,\"probability\":0.5,\"text\":\"##s\"}]}]]}\n";

TrialAnswer answerOf(const QString& output)
{
    TrialAnswer answer;
    if (!answer.take(output).ok())
        QTest::qFail("the output is not understood", __FILE__, __LINE__);
    return answer;
}

RunEntry runEntry(const QString& spec)
{
    RunEntry run;
    run.id = "20261121T091505Z-bert-tiny-3f2a";
    run.name = "bert-tiny";
    run.hosts = QStringList{"gpu-03", "gpu-04"};
    run.spec = spec;
    return run;
}

} // namespace

class TestTrial : public QObject {
    Q_OBJECT

private slots:
    void takesTokensInPiecesOfAnySize_data()
    {
        QTest::addColumn<int>("size");
        for (const int size : {1, 3, 17, 1000})
            QTest::addRow("%d", size) << size;
    }
    void takesTokensInPiecesOfAnySize()
    {
        QFETCH(int, size);
        TrialAnswer answer;
        for (qsizetype at = 0; at < kContinued.size(); at += size)
            QVERIFY(answer.take(kContinued.mid(at, size)).ok());
        QCOMPARE(answer.newTokens(), 2);
        QCOMPARE(answer.continuation(), QString(" leavess “früh”"));
        QVERIFY(answer.masks().isEmpty());
    }

    void takesTheAnswersForMasks()
    {
        const TrialAnswer answer = answerOf(kFilled);
        QCOMPARE(answer.masks().size(), 2);
        QCOMPARE(answer.masks()[0], (QList<MaskAnswer>{{"train", 0.75}, {"bus", 0.125}}));
        QCOMPARE(answer.newTokens(), 0);
    }

    void refusesOtherOutput_data()
    {
        QTest::addColumn<QString>("output");
        QTest::addRow("words") << "usage: worker\n";
        QTest::addRow("a list") << "[1]\n";
        QTest::addRow("half an object") << "{\"token\":\n";
    }
    void refusesOtherOutput()
    {
        QFETCH(QString, output);
        TrialAnswer answer;
        const Status taken = answer.take(output);
        QVERIFY(!taken.ok());
        QVERIFY(QString::fromStdString(taken.error().message).contains("unknown form"));
        QVERIFY(answer.take(kContinued).ok()); // says it once
        QVERIFY(answer.isEmpty());
    }

    // Values of other types than a worker prints.
    void survivesStrangeValues()
    {
        for (const char* output :
             {"{\"token\":\"x\",\"text\":3}\n", "{\"masks\":7}\n", "{\"masks\":[[{\"answers\":[[]]}]]}\n",
              "{}\n", "{\"masks\":[[{\"answers\":[{\"token\":4,\"probability\":\"high\"}]}]]}\n"}) {
            TrialAnswer answer;
            QVERIFY2(answer.take(QString::fromLatin1(output)).ok(), output);
        }
    }

    void theBestAnswersFillTheText()
    {
        const auto masks = answerOf(kFilled).masks();
        QCOMPARE(filledText("The [MASK] leave [MASK].", masks), QString("The train leaves."));
        QCOMPARE(filledText("[MASK][MASK]", masks), QString("trains"));
        QCOMPARE(filledText("The [MASK] leaves.", masks), QString());
        QCOMPARE(filledText("no mask", masks), QString());
    }

    void answersAreATable()
    {
        MaskAnswerModel table;
        const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setMasks(answerOf(kFilled).masks());
        QCOMPARE(table.rowCount(), 3);
        QCOMPARE(table.index(1, MaskAnswerModel::Word).data().toString(), QString("bus"));
        QCOMPARE(table.index(2, MaskAnswerModel::Mask).data().toString(), QString("2"));
        QCOMPARE(table.index(0, MaskAnswerModel::Probability).data(MaskAnswerModel::ShareRole).toDouble(),
                 0.75);
        table.setMasks({});
        QCOMPARE(table.rowCount(), 0);
    }

    void aRunIsTriedOnItsFirstHost()
    {
        const TrialModel model = modelOf(runEntry(
            R"({"trainyard": 1, "model": {"preset": "bert-tiny"}, "evaluation": {"keep_best": true}})"));
        QCOMPARE(model.host, QString("gpu-03"));
        QCOMPARE(model.path, QString("20261121T091505Z-bert-tiny-3f2a"));
        QVERIFY(model.isBert());
        QVERIFY(model.keepsBest);
        const TrialModel unknown = modelOf(runEntry({}));
        QVERIFY(!unknown.isBert() && !unknown.isGpt());
    }

    void runsWithoutCheckpointsWithinReachAreNotOffered()
    {
        RunEntry run = runEntry({});
        QVERIFY(canBeTried(run));
        run.importedFrom = "TensorBoard";
        QVERIFY(!canBeTried(run));
        run = runEntry({});
        run.isTraining = false;
        QVERIFY(!canBeTried(run));
        run = runEntry({});
        run.hosts.clear();
        QVERIFY(!canBeTried(run));
    }

    void saysWhatATextLacks()
    {
        TrialModel model;
        QVERIFY(whyNotTried(model, "text").contains("Choose a model"));
        model.path = "/models/bert";
        QVERIFY(whyNotTried(model, " \n").contains("Write a text"));
        QCOMPARE(whyNotTried(model, "text"), QString()); // of an unknown kind
        model.family = ModelFamily::Bert;
        model.name = "bert";
        QVERIFY(whyNotTried(model, "text").contains("Put [MASK] where bert"));
        QCOMPARE(whyNotTried(model, "a [MASK]"), QString());
        model.family = ModelFamily::Gpt;
        QCOMPARE(whyNotTried(model, "text"), QString());
    }

    void theJobGetsTextModelAndSettings()
    {
        TrialModel model = modelOf(runEntry({}));
        model.step = 20;
        model.vocabulary = "/v.txt";
        TryOptions settings;
        settings.sampling.topK = 7;
        settings.model = "another";
        const TryOptions options = optionsFor(model, "zwei\nZeilen", settings);
        QCOMPARE(options.model, model.path.toStdString());
        QCOMPARE(options.text, std::string("zwei\nZeilen"));
        QCOMPARE(options.step.value_or(0), std::int64_t(20));
        QCOMPARE(options.vocabulary, std::string("/v.txt"));
        QCOMPARE(options.sampling.topK, 7);
        QVERIFY(options.json && options.stream && !options.best);
    }
};

QTEST_GUILESS_MAIN(TestTrial)
#include "tst_trial.moc"
