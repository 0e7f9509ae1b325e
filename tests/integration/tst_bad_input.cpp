#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include "engine/base/result.h"
#include "tests/integration/cli_fixture.h"

using namespace trainyard;
using namespace trainyard::test;

// What a user can get wrong ends with the documented status and one message that names the field or file and
// the fix.
class TestBadInput : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
    }

    void refusesABadSpecification_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("fix");
        QTest::addRow("unknown key") << QByteArray(R"({"trainyard":1,"batch":{"mirco":4}})") << 2
                                     << "batch.mirco"
                                     << "did you mean \"micro\"";
        QTest::addRow("wrong unit") << QByteArray(R"({"trainyard":1,"layout":{"bucket_size":"25 MB"}})") << 2
                                    << "layout.bucket_size"
                                    << "MiB";
        QTest::addRow("batch equation")
            << QByteArray(
                   R"({"trainyard":1,"dataset":{"path":"/d"},"batch":{"global":32,"micro":4,"accumulation":3}})")
            << 2 << "batch.global"
            << "set batch.accumulation to 8";
        QTest::addRow("more ranks than slots")
            << QByteArray(
                   R"({"trainyard":1,"dataset":{"path":"/d"},"layout":{"data":4},"batch":{"global":32,"micro":4,"accumulation":2}})")
            << 3 << "layout"
            << "add slots to cluster.nodes";
        QTest::addRow("not JSON") << QByteArray("{") << 2 << "not valid JSON at line 1, column 2"
                                  << "check brackets";
    }
    void refusesABadSpecification()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, field);
        QFETCH(QString, fix);
        const CliResult result = m_cli.run({"launch", m_cli.write("bad.json", json)});
        QTEST(result.status, "status");
        QVERIFY2(result.err.contains("bad.json"), qPrintable(result.err));
        QVERIFY2(result.err.contains(field) && result.err.contains(fix), qPrintable(result.err));
        QCOMPARE(result.out, "");
        QCOMPARE(result.err.count("trainyard: "), 1);
    }

    void saysWhatWorksInstead()
    {
        const QString file = m_cli.write("heads.json", R"({"trainyard":1,"dataset":{"path":"/d"},
            "model":{"heads":4},"cluster":{"nodes":[{"host":"a","slots":8}]},"layout":{"tensor":3}})");
        for (const char* command : {"plan", "launch"}) {
            const QString text = m_cli.run({command, file}).err;
            QVERIFY2(text.contains("\n  heads 4 % tensor 3 = 1, must be 0\n"), qPrintable(text));
            QVERIFY2(text.contains("\n  closest valid settings: layout.tensor 2 | layout.tensor 4"),
                     qPrintable(text));
        }
        const QJsonDocument json = QJsonDocument::fromJson(m_cli.run({"plan", "--json", file}).out.toUtf8());
        const QJsonValue problem = json["problems"][0];
        QCOMPARE(problem["equation"].toString(), "heads 4 % tensor 3 = 1, must be 0");
        QCOMPARE(problem["nearest"][0]["changes"], (QJsonObject{{"layout.tensor", 2}}));
    }

    void saysEverythingThatIsWrongAtOnce()
    {
        const QString file = m_cli.write("three.json", R"({"trainyard":1,"name":"a b","dataset":{"path":"d"},
            "layout":{"data":4},"batch":{"global":32,"micro":8,"accumulation":1}})");
        const CliResult result = m_cli.run({"launch", file});
        QCOMPARE(result.status, 2);
        QCOMPARE(result.err.count("trainyard: "), 3);
        for (const char* field : {"name", "dataset.path", "layout"})
            QVERIFY2(result.err.contains(QString("three.json: %1: ").arg(field)), qPrintable(result.err));

        const CliResult json = m_cli.run({"plan", "--json", file});
        QCOMPARE(json.status, 2);
        const QJsonArray problems = QJsonDocument::fromJson(json.out.toUtf8())["problems"].toArray();
        QCOMPARE(problems.size(), 3);
        QCOMPARE(problems[0]["path"].toString(), "name");
        QVERIFY(!problems[0]["message"].toString().isEmpty() && !problems[0]["hint"].toString().isEmpty());
    }

    void refusesWhatDoesNotFit_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addRow("plan") << "plan";
        QTest::addRow("launch") << "launch";
    }
    void refusesWhatDoesNotFit()
    {
        QFETCH(QString, command);
        RunSpec spec = tinySpec(m_cli.dataset(), 1, 1);
        spec.cluster.nodes[0].memory = kMiB;
        const CliResult memory = m_cli.run({command, m_cli.writeSpec("small.json", spec)});
        QCOMPARE(memory.status, 3);
        QVERIFY2(memory.err.contains("localhost has 1.00 MiB") && memory.err.contains("batch.micro"),
                 qPrintable(memory.err));
        spec = tinySpec(m_cli.dataset(), 1, 1);
        spec.model.maxPositions = 32;
        const CliResult rows = m_cli.run({command, m_cli.writeSpec("short.json", spec)});
        QCOMPARE(rows.status, 2);
        QVERIFY2(rows.err.contains("set model.max_positions to at least 64"), qPrintable(rows.err));
        QCOMPARE(QDir(m_cli.path("home/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList());
    }

    void refusesABadDump_data()
    {
        QTest::addColumn<QString>("dump");
        QTest::addColumn<QString>("said");
        QFile sample(QString(TRAINYARD_SOURCE_DIR) + "/resources/samples/trainyard-sample.xml.bz2");
        QVERIFY(sample.open(QIODevice::ReadOnly));
        const QByteArray whole = sample.readAll();
        QTest::addRow("missing") << m_cli.path("nosuch.xml.bz2") << "nosuch.xml.bz2";
        QTest::addRow("truncated") << m_cli.write("cut.xml.bz2", whole.left(whole.size() * 2 / 3))
                                   << "cut.xml.bz2";
        QTest::addRow("not bzip2") << m_cli.write("text.xml.bz2", "hello") << "text.xml.bz2";
        QTest::addRow("no pages") << m_cli.write("empty.xml", "<mediawiki></mediawiki>")
                                  << "no document of the corpus";
    }
    void refusesABadDump()
    {
        QFETCH(QString, dump);
        QFETCH(QString, said);
        const CliResult result =
            m_cli.run({"prepare", dump, "--train-vocab", "500", "--out", m_cli.path("never")});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains(said), qPrintable(result.err));
        QVERIFY(!QFile::exists(m_cli.path("never")));
        QCOMPARE(QDir(m_cli.path("")).entryList({"*never*"}, QDir::AllEntries | QDir::Hidden).size(), 0);
    }

    void refusesBadLabelledExamples_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("said");
        const QString good = m_cli.write("good.tsv", "text\tlabel\nthe\tlate\nthe\tearly\n");
        const auto row = [&](const char* test, const char* kind, const char* name, const QByteArray& content,
                             const char* said) {
            QTest::addRow("%s", test) << QStringList{"--task", kind, m_cli.write(name, content)} << said;
        };
        row("missing column", "classify", "columns.tsv", "text\tmark\nthe\tlate\n",
            "columns.tsv: line 1: there is no column \"label\" among: text, mark");
        row("missing cell", "classify", "cells.tsv", "text\tlabel\nthe\tlate\nthe\n",
            "cells.tsv: line 3 has 1 column instead of 2");
        row("missing label", "classify", "labels.csv", "text,label\nthe,late\nthe,\n",
            "labels.csv: line 3, column label: is empty");
        row("no number", "regress", "numbers.tsv", "text\tlabel\nthe\tgood\n",
            "numbers.tsv: line 2, column label: \"good\" is not a number");
        row("missing tag", "tag", "tags.conll", "the O\ntrain\n", "tags.conll: line 2, column 2: is missing");
        row("wrong offset", "answer", "offsets.json",
            R"({"data": [{"paragraphs": [{"context": "the train",
                "qas": [{"id": "q", "question": "the?", "answers": [{"text": "train", "answer_start": 5}]}]}]}]})",
            "offsets.json: line 2: data[0].paragraphs[0].qas[0] (id q): answers[0] says that \"train\" is at "
            "character 5");
        QTest::addRow("label of held-out rows alone")
            << QStringList{"--task", "classify", good, "--held-out",
                           m_cli.write("dev.tsv", "text\tlabel\nthe\tnever\n")}
            << "dev.tsv: line 2, column label: unknown label \"never\"";
    }
    void refusesBadLabelledExamples()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, said);
        const QString vocabulary =
            m_cli.write("task-vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ntrain\n");
        const CliResult result =
            m_cli.run(QStringList{"prepare"} + options +
                      QStringList{"--vocab", vocabulary, "--seq-len", "16", "--out", m_cli.path("never")});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains(said), qPrintable(result.err));
        QCOMPARE(result.err.count(said), 1);
        QCOMPARE(result.out, "");
        QCOMPARE(QDir(m_cli.path("")).entryList({"*never*"}, QDir::AllEntries | QDir::Hidden).size(), 0);
    }

    void refusesAVocabularyWithoutMask()
    {
        const QString vocabulary = m_cli.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n");
        const CliResult result = m_cli.run(
            {"prepare", QString(TRAINYARD_SOURCE_DIR) + "/resources/samples/trainyard-sample.xml.bz2",
             "--vocab", vocabulary, "--out", m_cli.path("never")});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("[MASK]") && result.err.contains("vocab.txt"), qPrintable(result.err));
        QVERIFY(!QFile::exists(m_cli.path("never")));
    }

    void findsADamagedShard()
    {
        const QString copy = m_cli.path("damaged");
        QVERIFY(QDir().mkpath(copy));
        for (const QString& file : QDir(m_cli.dataset()).entryList(QDir::Files))
            QVERIFY(QFile::copy(m_cli.dataset() + "/" + file, copy + "/" + file));
        const QString shard = QDir(copy).entryList({"*training_1.hdf5"}).value(0);
        QFile file(copy + "/" + shard);
        QVERIFY(file.resize(file.size() / 2));
        const CliResult result = m_cli.run({"verify", copy});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains(shard), qPrintable(result.err));
        QCOMPARE(result.out, ""); // no figures of what is left
        QCOMPARE(m_cli.run({"verify", m_cli.dataset()}).status, 0);
    }

    void refusesUnknownCommandsAndOptions_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        QTest::addRow("command")
            << QStringList{"lanch"}
            << "there is no command `trainyard lanch` — did you mean `trainyard launch`?";
        QTest::addRow("command of a command")
            << QStringList{"hosts", "lst"} << "`trainyard hosts lst` — did you mean `trainyard hosts list`?";
        QTest::addRow("option") << QStringList{"runs", "--jsno"} << "--jsno";
        QTest::addRow("nothing to launch")
            << QStringList{"launch"} << "SPEC is required — see `trainyard launch --help`";
        QTest::addRow("missing file")
            << QStringList{"launch", "/nonexistent/spec.json"} << "/nonexistent/spec.json";
        QTest::addRow("unknown run") << QStringList{"attach", "20990101T000000Z-none-0000"}
                                     << "20990101T000000Z-none-0000";
    }
    void refusesUnknownCommandsAndOptions()
    {
        QFETCH(QStringList, arguments);
        const CliResult result = m_cli.run(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.startsWith("trainyard: "), qPrintable(result.err));
        QFETCH(QString, said);
        QVERIFY2(result.err.contains(said), qPrintable(result.err));
    }

    void speaksOfTheCommandThatWasCalled_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        QTest::addRow("unknown option")
            << QStringList{"prepare", "a.xml", "--out", "o", "--vocba", "v"} << "--vocba";
        QTest::addRow("missing option") << QStringList{"prepare", "a.xml"} << "--out";
        QTest::addRow("missing dump")
            << QStringList{"prepare", "/nosuch.xml", "--train-vocab", "500", "--out", m_cli.path("never")}
            << "/nosuch.xml";
        QTest::addRow("no data set") << QStringList{"verify", "/nosuch"} << "/nosuch";
    }
    void speaksOfTheCommandThatWasCalled()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        const CliResult result = m_cli.run(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.startsWith("trainyard " + arguments[0] + ": "), qPrintable(result.err));
        QVERIFY2(result.err.contains(said), qPrintable(result.err));
        QCOMPARE(result.err.trimmed().count('\n'), 0); // once
    }

private:
    CliFixture m_cli;
};

QTEST_GUILESS_MAIN(TestBadInput)
#include "tst_bad_input.moc"
