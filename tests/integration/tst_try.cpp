#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>

#include "tests/integration/cli_fixture.h"
#include "tests/support/reference_data.h"

using namespace trainyard::test;

namespace {

QString goldenModel(const QString& name)
{
    return QStringLiteral(TRAINYARD_SOURCE_DIR "/tests/golden/hugging_face/") + name;
}

QString taskModel(const QString& task)
{
    return QString::fromStdString(trainyard::referenceTaskModel(task.toStdString()).string());
}

QJsonObject documentIn(const CliResult& result)
{
    return QJsonDocument::fromJson(result.out.trimmed().split('\n').last().toUtf8()).object();
}

QJsonArray tokensIn(const CliResult& result)
{
    return documentIn(result)["tokens"].toArray();
}

int vocabularyOf(const QString& model)
{
    QFile file(model + "/config.json");
    return file.open(QIODevice::ReadOnly)
               ? QJsonDocument::fromJson(file.readAll()).object()["vocab_size"].toInt()
               : 0;
}

/// BERT's special tokens, and words up to `size` entries.
QByteArray vocabularyText(int size)
{
    QByteArray text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ntrain\nthe\nleaves\n##s\n";
    for (int entry = int(text.count('\n')); entry < size; ++entry)
        text += "word" + QByteArray::number(entry) + '\n';
    return text;
}

} // namespace

/// `trainyard try` on small models, here and by a job of a host; the host is this machine, through the real
/// agent.
class TestTry : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_vocabulary = m_cli.write("vocab.txt", vocabularyText(vocabularyOf(goldenModel("bert"))));
    }

    void continuesTokens()
    {
        const CliResult result = m_cli.run({"try", goldenModel("gpt2"), "--token-ids", "[[5,7],[3]]",
                                            "--greedy", "--max-new", "6", "--json"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonArray tokens = tokensIn(result);
        QCOMPARE(tokens.size(), 2);
        QCOMPARE(tokens[0].toArray().size(), 8);
        QCOMPARE(tokens[1].toArray().size(), 7);
        QCOMPARE(tokens[0][0].toInt(), 5);
        QCOMPARE(tokens[0][1].toInt(), 7);
        QCOMPARE(tokens[1][0].toInt(), 3);
    }

    void aCheckpointContinuesLikeItsModel()
    {
        const QString checkpoint = m_cli.path("imported");
        QVERIFY(QDir().mkpath(checkpoint));
        const CliResult imported = m_cli.run({"import", "--hf", goldenModel("gpt2"), "--out", checkpoint});
        QVERIFY2(imported.status == 0, qPrintable(imported.err));
        const QStringList options{"--token-ids", "[[1,2,3]]", "--seed", "4", "--max-new", "9", "--json"};
        const CliResult stored = m_cli.run(QStringList{"try", checkpoint} + options);
        QVERIFY2(stored.status == 0, qPrintable(stored.err));
        QCOMPARE(stored.out, m_cli.run(QStringList{"try", goldenModel("gpt2")} + options).out);
    }

    void tellsEachTokenWhileItWorks()
    {
        const CliResult result = m_cli.run({"try", goldenModel("gpt2"), "--token-ids", "[[5]]", "--greedy",
                                            "--max-new", "3", "--json", "--stream"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QStringList lines = result.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 4);
        const QJsonArray tokens = tokensIn(result).first().toArray();
        for (int i = 0; i < 3; ++i) {
            const auto line = QJsonDocument::fromJson(lines[i].toUtf8()).object();
            QCOMPARE(line["prompt"].toInt(), 0);
            QCOMPARE(line["token"].toInt(), tokens[i + 1].toInt());
        }
    }

    void continuesText()
    {
        const QString vocabulary = m_cli.write("gpt.txt", vocabularyText(vocabularyOf(goldenModel("gpt2"))));
        const QStringList command{"try",      goldenModel("gpt2"), "The trains", "--vocab",
                                  vocabulary, "--greedy",          "--max-new",  "4"};
        const CliResult plain = m_cli.run(command);
        QVERIFY2(plain.status == 0, qPrintable(plain.err));
        QVERIFY2(plain.out.startsWith("The trains") && plain.out.endsWith('\n'), qPrintable(plain.out));
        const QJsonObject json = documentIn(m_cli.run(command + QStringList{"--json"}));
        QCOMPARE(json["text"][0].toString() + '\n', plain.out);
        QCOMPARE(json["tokens"][0].toArray().size(), 3 + 4); // the train ##s
    }

    void fillsInTheMask()
    {
        const QStringList command{
            "try", goldenModel("bert"), "the [MASK] leaves", "--vocab", m_vocabulary, "--answers", "3"};
        const CliResult plain = m_cli.run(command);
        QVERIFY2(plain.status == 0, qPrintable(plain.err));
        QCOMPARE(plain.out.count(" %  "), 3);
        const QJsonArray masks = documentIn(m_cli.run(command + QStringList{"--json"}))["masks"].toArray();
        QCOMPARE(masks.size(), 1);
        const QJsonObject mask = masks[0][0].toObject();
        QCOMPARE(mask["position"].toInt(), 2); // behind [CLS] and "the"
        const QJsonArray answers = mask["answers"].toArray();
        QCOMPARE(answers.size(), 3);
        QVERIFY(answers[0]["probability"].toDouble() >= answers[1]["probability"].toDouble());
        QVERIFY(plain.out.contains(answers[0]["text"].toString()));
    }

    void classifiesWithTheNamesOfTheLabels()
    {
        NEEDS_REFERENCE(taskModel("classify").toStdString());
        const QString model = copyOfModel("classify", R"({"0": "late", "1": "early", "2": "on time"})");
        const QStringList command{"try", model, "the train leaves", "--vocab", taskVocabulary()};
        const CliResult plain = m_cli.run(command);
        QVERIFY2(plain.status == 0, qPrintable(plain.err));
        QCOMPARE(plain.out.count(" %  "), 3);
        const QJsonArray labels =
            documentIn(m_cli.run(command + QStringList{"--json"}))["labels"][0].toArray();
        QCOMPARE(labels.size(), 3);
        double sum = 0;
        QStringList names;
        for (const auto& label : labels) {
            sum += label.toObject()["probability"].toDouble();
            names << label.toObject()["label"].toString();
        }
        QVERIFY(qAbs(sum - 1) < 1e-9);
        QVERIFY(plain.out.contains(names.first()));
        names.sort();
        QCOMPARE(names, (QStringList{"early", "late", "on time"}));
        // The second sentence counts, and so does the place of a word.
        const QJsonArray pair =
            documentIn(m_cli.run(command + QStringList{"--json", "--pair", "the train"}))["labels"][0]
                .toArray();
        QVERIFY(pair[0]["probability"].toDouble() != labels[0]["probability"].toDouble());
        // [CLS] the train leaves [SEP]
        const QJsonArray tokens =
            documentIn(m_cli.run({"try", model, "--token-ids", "[[2,6,5,7,3]]", "--json"}))["labels"][0]
                .toArray();
        QCOMPARE(tokens, labels);
    }

    void givesAValue()
    {
        NEEDS_REFERENCE(taskModel("regress").toStdString());
        const CliResult result =
            m_cli.run({"try", taskModel("regress"), "--token-ids", "[[2,6,3],[2,5,3]]", "--json"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonArray values = documentIn(result)["values"].toArray();
        QCOMPARE(values.size(), 2);
        QVERIFY(values[0].isDouble() && values[0].toDouble() != values[1].toDouble());
    }

    void tagsWords()
    {
        NEEDS_REFERENCE(taskModel("tag").toStdString());
        const CliResult result = m_cli.run({"try", taskModel("tag"), "The  trains, the", "--vocab",
                                            taskVocabulary(), "--json", "--answers", "2"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonArray words = documentIn(result)["words"][0].toArray();
        QStringList texts;
        for (const auto& word : words) {
            const QJsonObject json = word.toObject();
            const qsizetype begin = json["begin"].toInteger();
            QCOMPARE(QString("The  trains, the").mid(begin, json["end"].toInteger() - begin),
                     json["text"].toString());
            QCOMPARE(json["labels"].toArray().size(), 2);
            texts << json["text"].toString();
        }
        QCOMPARE(texts, (QStringList{"The", "trains", ",", "the"})); // "train" and "##s" are one word
    }

    void answersFromTheText()
    {
        NEEDS_REFERENCE(taskModel("answer").toStdString());
        QString context;
        for (int word = 9; word < 90; ++word) // longer than the model's 64 positions: several rows
            context += "word" + QString::number(word) + ' ';
        const QStringList command{"try",   taskModel("answer"), "the train",      "--pair",
                                  context, "--vocab",           taskVocabulary(), "--json"};
        const CliResult result = m_cli.run(command + QStringList{"--answers", "7"});
        QVERIFY2(result.status == 0, qPrintable(result.err));
        const QJsonArray answers = documentIn(result)["answers"][0].toArray();
        QCOMPARE(answers.size(), 7);
        for (qsizetype i = 0; i < answers.size(); ++i) {
            const qsizetype begin = answers[i]["begin"].toInteger();
            QCOMPARE(context.mid(begin, answers[i]["end"].toInteger() - begin),
                     answers[i]["text"].toString());
            QVERIFY(i == 0 || answers[i]["score"].toDouble() <= answers[i - 1]["score"].toDouble());
        }
        const QJsonArray lacking =
            documentIn(m_cli.run(command + QStringList{"--no-answer", "--answers", "1000"}))["answers"][0]
                .toArray();
        const auto isNone = [](const QJsonValue& answer) { return answer["text"].toString().isEmpty(); };
        QCOMPARE(std::count_if(lacking.begin(), lacking.end(), isNone), 1);
    }

    void aHostAnswersLikeThisMachine_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::addRow("tokens") << QStringList{"try",      goldenModel("gpt2"), "--token-ids", "[[5,7]]",
                                               "--greedy", "--max-new",         "6",           "--json"};
        QTest::addRow("masks, with a text that begins with a dash")
            << QStringList{"try", "--vocab", m_vocabulary, "--", goldenModel("bert"), "- the [MASK] leaves"};
    }
    void aHostAnswersLikeThisMachine()
    {
        QFETCH(QStringList, command);
        const CliResult here = m_cli.run(command);
        QVERIFY2(here.status == 0, qPrintable(here.err));
        command.insert(1, "--host");
        command.insert(2, "localhost");
        const CliResult there = m_cli.run(command);
        QVERIFY2(there.status == 0, qPrintable(there.err));
        QCOMPARE(there.out, here.out);
        QVERIFY(!m_cli.run({"runs"}).out.contains("try")); // the job leaves nothing but its answer
    }

    /// Its vocabulary is that of its data set.
    void aRunIsTriedByItsName()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
        const CliResult launched =
            m_cli.run({"launch", m_cli.writeSpec("spec.json", tinySpec(m_cli.dataset(), 1, 2))});
        QVERIFY2(launched.status == 0, qPrintable(launched.err));
        const QString run = launched.out.trimmed();
        QCOMPARE(m_cli.run({"attach", run}).status, 0); // until it has ended
        const QStringList command{"try", run, "the [MASK] of the city", "--json"};
        const CliResult newest = m_cli.run(command);
        QVERIFY2(newest.status == 0, qPrintable(newest.err));
        QCOMPARE(documentIn(newest)["masks"][0][0]["answers"].toArray().size(), 5);
        QCOMPARE(m_cli.run(command + QStringList{"--step", "2"}).out, newest.out);
        QCOMPARE(m_cli.run(command + QStringList{"--host", "localhost"}).out, newest.out);
        const CliResult missing = m_cli.run(command + QStringList{"--step", "1"});
        QCOMPARE(missing.status, 2);
        QVERIFY2(missing.err.contains("no checkpoint of step 1"), qPrintable(missing.err));
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("problem");
        const QString gpt = goldenModel("gpt2");
        QTest::addRow("no model") << QStringList{"nothing-here", "x"}
                                  << "there is no run, checkpoint or folder nothing-here";
        QTest::addRow("too long") << QStringList{gpt, "--token-ids",
                                                 QString("[[%1]]").arg(QStringList(5000, "1").join(','))}
                                  << "prompt 1 has 5000 tokens, but the model has";
        QTest::addRow("too many new ones")
            << QStringList{gpt, "--token-ids", "[[1],[2]]", "--max-new", "9999"}
            << "prompt 1 has 1 token; the model's 11 positions leave room for 11 new ones";
        QTest::addRow("no such token")
            << QStringList{gpt, "--token-ids", "[[1],[1,99999]]"} << "prompt 2 has the token 99999";
        QTest::addRow("not JSON") << QStringList{gpt, "--token-ids", "[[1"}
                                  << "--token-ids: not valid JSON at line 1";
        QTest::addRow("one list") << QStringList{gpt, "--token-ids", "[1,2]"}
                                  << "--token-ids: it is not a list of lists of whole numbers";
        QTest::addRow("text and tokens")
            << QStringList{gpt, "text", "--token-ids", "[[1]]"} << "there are a text and --token-ids";
        QTest::addRow("no vocabulary") << QStringList{gpt, "text"} << "has no vocab.txt";
        QTest::addRow("no mask") << QStringList{goldenModel("bert"), "the train", "--vocab", m_vocabulary}
                                 << "prompt 1 has no mask";
        QTest::addRow("greedy for words")
            << QStringList{goldenModel("bert"), "the [MASK]", "--vocab", m_vocabulary, "--greedy"}
            << "--greedy is for models that continue a text, and this one fills in [MASK]";
        QTest::addRow("answers of a continuation")
            << QStringList{gpt, "--token-ids", "[[1]]", "--answers", "2"}
            << "--answers is for models that fill in [MASK], classify, tag or answer";
        QTest::addRow("a pair for words")
            << QStringList{goldenModel("bert"), "the [MASK]", "--pair", "x", "--vocab", m_vocabulary}
            << "--pair is for models with the head of a task";
        if (QFile::exists(taskModel("answer")))
            QTest::addRow("a question alone") << QStringList{taskModel("answer"), "the train"}
                                              << "give the text that has the answer with --pair";
        if (QFile::exists(taskModel("tag"))) {
            QTest::addRow("a pair to tag") << QStringList{taskModel("tag"), "the", "--pair", "train"}
                                           << "--pair has no meaning for a model that tags words";
            QTest::addRow("too long to tag")
                << QStringList{taskModel("tag"), QString("the ").repeated(70), "--vocab", taskVocabulary()}
                << "72 tokens, but the model has 64 positions";
        }
        QTest::addRow("a step of a folder")
            << QStringList{gpt, "--step", "5", "--token-ids", "[[1]]"} << "without steps to choose from";
    }
    void saysWhatIsWrong()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, problem);
        const CliResult result = m_cli.run(QStringList{"try"} + options);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains(problem), qPrintable(result.err));
        QCOMPARE(result.out, "");
    }

private:
    /// Of the reference models' size.
    QString taskVocabulary() { return m_cli.write("task-vocab.txt", vocabularyText(97)); }
    QString copyOfModel(const QString& task, const QByteArray& labels)
    {
        const QString folder = m_cli.path("model-" + task);
        QDir().mkpath(folder);
        QFile::copy(taskModel(task) + "/model.safetensors", folder + "/model.safetensors");
        QFile config(taskModel(task) + "/config.json");
        if (!config.open(QIODevice::ReadOnly))
            return {};
        QJsonObject json = QJsonDocument::fromJson(config.readAll()).object();
        json["id2label"] = QJsonDocument::fromJson(labels).object();
        m_cli.write("model-" + task + "/config.json", QJsonDocument(json).toJson());
        return folder;
    }

    CliFixture m_cli;
    QString m_vocabulary;
};

QTEST_GUILESS_MAIN(TestTry)
#include "tst_try.moc"
