#include <QAbstractItemModelTester>
#include <QTest>

#include "app/trial/model/answer_table_model.h"
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

const QString kLabels = "{\"labels\":[[{\"label\":\"late\",\"id\":1,\"probability\":0.75},"
                        "{\"label\":\"on time\",\"id\":0,\"probability\":0.25}]]}\n";
const QString kWords =
    "{\"words\":[[{\"text\":\"Über\",\"begin\":0,\"end\":4,\"labels\":[{\"label\":\"O\",\"id\":0,"
    "\"probability\":0.5}]},{\"text\":\"Köln\",\"begin\":6,\"end\":10,\"labels\":[{\"label\":\"B-LOC\","
    "\"id\":1,\"probability\":0.75}]}]]}\n";
const QString kAnswers =
    "{\"answers\":[[{\"text\":\"Köln\",\"begin\":6,\"end\":10,\"score\":7.5,\"probability\":0.75},"
    "{\"text\":\"\",\"score\":6.5,\"probability\":0.25}]]}\n";

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
              "{}\n", "{\"labels\":[[3]],\"words\":{},\"answers\":[[[]]],\"values\":[\"x\"]}\n",
              "{\"masks\":[[{\"answers\":[{\"token\":4,\"probability\":\"high\"}]}]]}\n"}) {
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
        AnswerTableModel table;
        const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setTable(tableOf(answerOf(kFilled)));
        QCOMPARE(table.rowCount(), 3);
        QCOMPARE(table.index(1, 1).data().toString(), QString("bus"));
        QCOMPARE(table.index(2, 0).data().toString(), QString("2"));
        QCOMPARE(table.index(0, 2).data(AnswerTableModel::ShareRole).toDouble(), 0.75);
        QVERIFY(!table.index(0, 1).data(AnswerTableModel::ShareRole).isValid());
        table.setTable({});
        QCOMPARE(table.rowCount(), 0);
    }

    void takesWhatModelsOfTasksSay()
    {
        const TrialAnswer labels = answerOf(kLabels);
        QCOMPARE(labels.labels(), (QList<LabelShare>{{"late", 0.75}, {"on time", 0.25}}));
        QVERIFY(labels.isOfTask() && !labels.isEmpty());
        QCOMPARE(answerOf("{\"values\":[3.5]}\n").value().value_or(0), 3.5);
        QCOMPARE(answerOf(kWords).words(),
                 (QList<TaggedWord>{{"Über", 0, 4, "O", 0.5}, {"Köln", 6, 10, "B-LOC", 0.75}}));
        const auto answers = answerOf(kAnswers).answers();
        QCOMPARE(answers.size(), 2);
        QCOMPARE(answers[0], (FoundAnswer{"Köln", 6, 10, 7.5, 0.75}));
        QVERIFY(!answers[1].isAnswer());
        QVERIFY(TrialAnswer().isEmpty());
    }

    void marksWordsAndTheBestAnswer()
    {
        const QString text = "Über \U0001F682Köln"; // an engine, two units of QString
        QCOMPARE(marksIn(text, answerOf(kWords)), (QList<TextMark>{{7, 11}}));
        QCOMPARE(marksIn(text, answerOf(kAnswers)), (QList<TextMark>{{7, 11}}));
        QVERIFY(marksIn(text, answerOf(kLabels)).isEmpty());
        QVERIFY(marksIn(text, answerOf(kFilled)).isEmpty());
        QCOMPARE(marksIn("ab", answerOf(kAnswers)), (QList<TextMark>{{2, 2}})); // of another text
    }

    void tablesOfTasks_data()
    {
        QTest::addColumn<QString>("output");
        QTest::addColumn<QStringList>("columns");
        QTest::addColumn<QStringList>("lastRow");
        QTest::addRow("labels") << kLabels << QStringList{"Label", "Probability"}
                                << QStringList{"on time", "25 %"};
        QTest::addRow("words") << kWords << QStringList{"Word", "Label", "Probability"}
                               << QStringList{"Köln", "B-LOC", "75 %"};
        QTest::addRow("answers") << kAnswers << QStringList{"Answer", "Score", "Probability"}
                                 << QStringList{"no answer", "6.5", "25 %"};
    }
    void tablesOfTasks()
    {
        QFETCH(QString, output);
        QFETCH(QStringList, columns);
        QFETCH(QStringList, lastRow);
        AnswerTableModel table;
        const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setTable(tableOf(answerOf(output)));
        QCOMPARE(table.columnCount(), int(columns.size()));
        QStringList heads;
        QStringList cells;
        for (int column = 0; column < table.columnCount(); ++column) {
            heads << table.headerData(column, Qt::Horizontal).toString();
            cells << table.index(table.rowCount() - 1, column)
                         .data()
                         .toString()
                         .replace(QChar(QChar::Nbsp), QLatin1Char(' '));
        }
        QCOMPARE(heads, columns);
        QCOMPARE(cells.size(), lastRow.size());
        QCOMPARE(cells.mid(0, cells.size() - 1), lastRow.mid(0, lastRow.size() - 1));
        QVERIFY2(cells.last().startsWith("25") || cells.last().startsWith("75"), qPrintable(cells.last()));
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
        QVERIFY(whyNotTried(model, {"text"}).contains("Choose a model"));
        model.path = "/models/bert";
        QVERIFY(whyNotTried(model, {" \n"}).contains("Write a text"));
        QCOMPARE(whyNotTried(model, {"text"}), QString()); // of an unknown kind
        model.family = ModelFamily::Bert;
        model.name = "bert";
        QVERIFY(whyNotTried(model, {"text"}).contains("Put [MASK] where bert"));
        QCOMPARE(whyNotTried(model, {"a [MASK]"}), QString());
        model.task = TaskKind::Classify;
        QCOMPARE(whyNotTried(model, {"text"}), QString());
        model.task = TaskKind::Answer;
        QVERIFY(whyNotTried(model, {}).contains("Write a question"));
        QVERIFY(whyNotTried(model, {"Who?"}).contains("Write the text in which bert"));
        QCOMPARE(whyNotTried(model, {"Who?", "He did."}), QString());
        model.task.reset();
        model.family = ModelFamily::Gpt;
        QCOMPARE(whyNotTried(model, {"text"}), QString());
    }

    void theJobGetsTextModelAndSettings()
    {
        TrialModel model = modelOf(runEntry({}));
        model.step = 20;
        model.vocabulary = "/v.txt";
        TryOptions settings;
        settings.sampling.topK = 7;
        settings.model = "another";
        const TryOptions options = optionsFor(model, {"zwei\nZeilen"}, settings);
        QCOMPARE(options.model, model.path.toStdString());
        QCOMPARE(options.text, std::string("zwei\nZeilen"));
        QCOMPARE(options.step.value_or(0), std::int64_t(20));
        QCOMPARE(options.vocabulary, std::string("/v.txt"));
        QCOMPARE(options.sampling.topK, 7);
        QVERIFY(options.json && options.stream && !options.best);
        QVERIFY(options.ignoreUnused); // the form has settings for every kind of model
    }

    // A text in the second field does not make other models fail.
    void onlyModelsThatMayTakeAPairGetIt()
    {
        TryOptions settings;
        settings.noAnswer = true;
        const auto optionsOf = [&](const char* task) {
            const QString spec = R"({"trainyard": 1, "model": {"preset": "bert-tiny"}, "task": {"kind": "%1"}})";
            return optionsFor(modelOf(runEntry(spec.arg(QLatin1String(task)))), {"Who?", "He did."}, settings);
        };
        QCOMPARE(optionsOf("answer").pair, std::string("He did."));
        QVERIFY(optionsOf("answer").noAnswer);
        QCOMPARE(optionsOf("classify").pair, std::string("He did."));
        QVERIFY(!optionsOf("classify").noAnswer);
        for (const char* task : {"tag", "none"})
            QVERIFY2(optionsOf(task).pair.empty(), task);
    }
};

QTEST_GUILESS_MAIN(TestTrial)
#include "tst_trial.moc"
