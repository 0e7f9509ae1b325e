#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "datasets/shards/manifest.h"
#include "engine/base/file.h"
#include "engine/records/journal.h"
#include "tests/auto/prepare/sample_dump.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr auto kVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nrail\n##way\n";

struct Outcome {
    int status = -1;
    QString out;
    QString err;
};

} // namespace

class TestPrepareProgram : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void preparesAndVerifies()
    {
        const Outcome prepared = run(smallArguments("out"));
        QVERIFY2(prepared.status == 0, qPrintable(prepared.err));
        QVERIFY(prepared.out.startsWith(at("out")));
        const Outcome verified = run({"verify", at("out"), "--sample", "3", "--json"});
        QCOMPARE(verified.status, 0);
        const auto json = nlohmann::json::parse(verified.out.toStdString());
        QVERIFY(json.at("ok").get<bool>());
        QCOMPARE(json.at("samples").size(), std::size_t(3));
        QCOMPARE(json.at("samples")[0].at("tokens")[0].at("text").get<std::string>(), std::string("[CLS]"));
        QVERIFY(run({"verify", at("out")}).out.contains("every invariant holds"));
    }

    void preparesLabelledExamples()
    {
        write("vocab.txt", kVocabulary);
        write("train.csv", "review,stars\n\"the rail, the\",good\nrailway,bad\n");
        write("dev.csv", "review,stars\nthe,bad\n");
        const QStringList arguments{
            "prepare",   "--task", "classify", at("train.csv"), "--held-out", at("dev.csv"),
            "--text",    "review", "--label",  "stars",         "--labels",   "bad,good",
            "--seq-len", "16",     "--vocab",  at("vocab.txt"), "--out",      at("set")};
        const Outcome prepared = run(arguments + QStringList{"--json"});
        QVERIFY2(prepared.status == 0, qPrintable(prepared.err));
        const auto manifest = nlohmann::json::parse(prepared.out.toStdString());
        QCOMPARE(manifest.at("settings").at("objective").get<std::string>(), std::string("classify"));
        QCOMPARE(manifest.at("task").at("labels").get<std::vector<std::string>>(),
                 std::vector<std::string>({"bad", "good"}));
        QCOMPARE(Manifest::load(at("set").toStdString())->testRows(), std::uint64_t(1));
        const QString verified = run({"verify", at("set")}).out;
        QVERIFY(verified.contains("every invariant holds"));
        QVERIFY2(verified.contains("2 training and 1 test row in"), qPrintable(verified));
        const auto sample =
            nlohmann::json::parse(run({"verify", at("set"), "--sample", "1", "--json"}).out.toStdString())
                .at("samples")
                .at(0);
        QCOMPARE(sample.at("task").get<std::string>(), std::string("classify"));
        QCOMPARE(sample.at("label").get<std::string>(), std::string("good"));
        QVERIFY(run({"verify", at("set"), "--sample", "1"}).out.contains("row 0: good\n"));
        write("train.csv", "review,stars\nthe,\n");
        const Outcome refused =
            run(QStringList(arguments).replaceInStrings(QRegularExpression("/set$"), "/other"));
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("train.csv: line 2, column stars: is empty"), qPrintable(refused.err));
        QVERIFY(!QDir(at("other")).exists());
    }

    void recordsItsProgress()
    {
        QVERIFY(QDir().mkpath(at("run")));
        QCOMPARE(run(smallArguments("out") + QStringList{"--run-dir", at("run")}).status, 0);
        const auto journal = readJournal(at("run/journal/prepare").toStdString()).value();
        std::map<std::string, ProgressRecord> last;
        for (const Record& record : journal.records) {
            if (const auto* progress = std::get_if<ProgressRecord>(&record.payload))
                last[progress->stage] = *progress;
        }
        for (const char* stage :
             {"vocabulary", "read", "clean", "sentences", "tokens", "instances", "shards"})
            QVERIFY2(last.contains(stage) && last[stage].total > 0 && last[stage].done == last[stage].total,
                     stage);
        QVERIFY(nlohmann::json::parse(last["read"].counters).at("redirects").get<int>() > 0);
        const auto manifest = Manifest::load(at("out").toStdString()).value();
        QCOMPARE(last["shards"].done, manifest.trainingRows() + manifest.testRows());
        QCOMPARE(std::get<EventRecord>(journal.records.back().payload).kind, std::string("prepare-finished"));
    }

    void stopsForTheStopFile()
    {
        QVERIFY(QDir().mkpath(at("run/control")));
        QVERIFY(writeFileAtomically(at("run/control/stop").toStdString(), "").ok());
        const Outcome outcome = run(smallArguments("out", 1000) + QStringList{"--run-dir", at("run")});
        QCOMPARE(outcome.status, 130);
        QCOMPARE(namesIn(m_folder->path()), QStringList{"run"});
        const auto journal = readJournal(at("run/journal/prepare").toStdString()).value();
        QCOMPARE(std::get<EventRecord>(journal.records.back().payload).kind,
                 std::string("prepare-cancelled"));
    }

    void leavesNothingForCtrlC()
    {
        QProcess process;
        startLong(process, "out");
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(namesIn(m_folder->path()).isEmpty());
    }

    /// Nobody writes into the pipes that it reads.
    void stopsForASignalWhileItsInputIsSilent_data()
    {
        QTest::addColumn<QString>("corpus");
        QTest::addColumn<QByteArray>("written");
        QTest::addColumn<int>("signal");
        QTest::addRow("silent standard input") << "-" << QByteArray() << SIGINT;
        QTest::addRow("standard input that stops") << "-" << QByteArray("First text.\n") << SIGTERM;
        QTest::addRow("standard input that stops in gzip") << "-" << QByteArray("\x1F\x8B\x08") << SIGINT;
        QTest::addRow("named pipe without a writer") << "pipe" << QByteArray() << SIGINT;
    }
    void stopsForASignalWhileItsInputIsSilent()
    {
        QFETCH(QString, corpus);
        QFETCH(QByteArray, written);
        QFETCH(int, signal);
        QCOMPARE(::mkfifo(at("pipe").toLocal8Bit().constData(), 0600), 0);
        QVERIFY(writeFileAtomically(at("vocab.txt").toStdString(), kVocabulary).ok());
        QProcess process;
        process.setWorkingDirectory(m_folder->path());
        process.start(program(), {"prepare", corpus, "--format", "articles", "--vocab", "vocab.txt", "--out",
                                  at("out")});
        process.write(written);
        AWAIT(QFile::exists(at(".out.part/scratch/documents")));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(namesIn(m_folder->path()), QStringList{"vocab.txt"}); // pipes are not listed
    }

    void keepsItsWorkWhenItIsTerminated()
    {
        QProcess process;
        startLong(process, "out");
        process.terminate();
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(process.readAllStandardError().contains("run the same command to resume"));
        QCOMPARE(namesIn(m_folder->path()), QStringList{".out.part"});
        startLong(process, "out");
        QByteArray said;
        AWAIT((said += process.readAllStandardError()).contains("resuming"));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QVERIFY(namesIn(m_folder->path()).isEmpty());
    }

    void clearsWhatAKilledOneLeft()
    {
        QProcess process;
        startLong(process, "out");
        process.kill();
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(namesIn(m_folder->path()), QStringList{".out.part"});
        const Outcome next = run(smallArguments("out"));
        QVERIFY2(next.status == 0, qPrintable(next.err));
        QVERIFY2(next.err.contains("removed the leftovers"), qPrintable(next.err));
        QCOMPARE(namesIn(m_folder->path()), QStringList{"out"});
        QCOMPARE(run({"verify", at("out")}).status, 0);
    }

    void refusesToWorkBesideAnotherOne()
    {
        QProcess process;
        startLong(process, "out");
        const Outcome second = run(smallArguments("out"));
        QCOMPARE(second.status, 3);
        QVERIFY2(second.err.contains("--out: another process"), qPrintable(second.err));
        QCOMPARE(process.state(), QProcess::Running);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(namesIn(m_folder->path()).isEmpty());
    }

    void saysHowManyShardsAreNeeded()
    {
        QVERIFY(run({"prepare", "--help"}).out.simplified().contains("at least 2"));
        QStringList arguments = smallArguments("out");
        arguments[arguments.indexOf("--shards") + 1] = "1";
        const Outcome outcome = run(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.err.contains("--shards 1") && outcome.err.contains("at least 2"),
                 qPrintable(outcome.err));
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("named");
        QTest::addRow("no command") << QStringList{} << "subcommand";
        QTest::addRow("unknown option") << QStringList{"verify", "x", "--fast"} << "--fast";
        QTest::addRow("unknown task")
            << QStringList{"prepare", "x", "--vocab", "v", "--out", "o", "--task", "sort"}
            << "--task: sort is none of: none, classify";
        const QStringList examples{"prepare", "x.csv", "--vocab", "v", "--out", "o", "--task"};
        for (const char* option :
             {"--objective gpt", "--nsp swap", "--whole-word", "--dupe 2", "--format sentences", "--headings",
              "--lists", "--punkt p", "--max-pred 9"})
            QTest::addRow("examples, %s", option)
                << examples + QString("classify %1").arg(option).split(' ')
                << QString(option).section(' ', 0, 0) + " cannot be combined with --task classify";
        QTest::addRow("second column of words")
            << examples + QStringList{"tag", "--pair", "b"} << "--pair has no meaning with --task tag";
        QTest::addRow("labels of answers") << examples + QStringList{"answer", "--labels", "a,b"}
                                           << "--labels has no meaning with --task answer";
        QTest::addRow("overlap of sentences") << examples + QStringList{"regress", "--doc-stride", "9"}
                                              << "--doc-stride has no meaning with --task regress";
        QTest::addRow("a share and files of test rows")
            << examples + QStringList{"classify", "--held-out", "y.csv", "--test-fraction", "0.5"}
            << "--test-fraction cannot be combined with --held-out";
        QTest::addRow("column of a corpus")
            << QStringList{"prepare", "x.xml", "--vocab", "v", "--out", "o", "--label", "stars"}
            << "--label needs --task";
        QTest::addRow("no vocabulary") << QStringList{"prepare", "x.xml", "--out", "y"} << "--vocab";
        QTest::addRow("no dump") << QStringList{"prepare", "nowhere.xml", "--train-vocab",
                                                "500",     "--out",       "y"}
                                 << "nowhere.xml";
        QTest::addRow("no data set") << QStringList{"verify", "nowhere"} << "nowhere";
        QTest::addRow("bad number") << QStringList{"prepare", "x", "--vocab",  "v",
                                                   "--out",   "y", "--shards", "many"}
                                    << "--shards";
        for (const char* seed : {"-1", "18446744073709551616", "1.5", "many"})
            QTest::addRow("seed %s", seed)
                << QStringList{"prepare", "x", "--vocab", "v", "--out", "y", "--seed", seed}
                << QStringLiteral("--seed: %1 is not a whole number").arg(seed);
        QTest::addRow("greatest seed")
            << QStringList{"prepare", "nowhere.xml", "--train-vocab", "500",
                           "--out",   "y",           "--seed",        "18446744073709551615"}
            << "nowhere.xml";
        QTest::addRow("no vocabulary file")
            << QStringList{"tokenize", "--vocab", "nowhere.txt"} << "nowhere.txt";
        QTest::addRow("no tokenizer file")
            << QStringList{"tokenize", "--tokenizer", "nowhere.json"} << "nowhere.json";
        QTest::addRow("no tokenizer") << QStringList{"tokenize"} << "--tokenizer";
        QTest::addRow("two tokenizers")
            << QStringList{"tokenize", "--tokenizer", "t.json", "--vocab", "v.txt"}
            << "--tokenizer excludes --vocab";
        QTest::addRow("case of a tokenizer.json")
            << QStringList{"tokenize", "--tokenizer", "t.json", "--cased"} << "--tokenizer excludes --cased";
        QTest::addRow("few tokens") << QStringList{"train-tokenizer", "--out", "t.json", "--size", "256"}
                                    << "request at least 257 tokens";
    }
    void saysWhatIsWrong()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, named);
        const Outcome outcome = run(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.err.contains(named), qPrintable(outcome.err));
        QVERIFY(outcome.out.isEmpty());
    }

    void namesTheBrokenInvariant()
    {
        QCOMPARE(run(smallArguments("out")).status, 0);
        const auto shard = at("out/wikicorpus_en_training_0.hdf5").toStdString();
        std::string bytes = readFile(shard).value();
        bytes.pop_back();
        QVERIFY(writeFileAtomically(shard, bytes).ok());
        const Outcome outcome = run({"verify", at("out")});
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.err.contains("wikicorpus_en_training_0.hdf5") && outcome.err.contains("invariant"),
                 qPrintable(outcome.err));
    }

    void tokenizesAsTheProfileSays()
    {
        QVERIFY(
            writeFileAtomically(at("vocab.txt").toStdString(), "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nας\nασ\n")
                .ok());
        const QByteArray line = "{\"text\":\"ΑΣ\"}"; // Python's lower() knows the final sigma
        for (const auto& [profile, ids] : {std::pair{"google-py", "[5]"}, {"hf", "[6]"}})
            QCOMPARE(run({"tokenize", "--vocab", at("vocab.txt"), "--profile", profile}, line).out,
                     QString("{\"ids\":%1}\n").arg(ids));
    }

    void trainsATokenizerAndUsesIt()
    {
        QByteArray lines;
        for (int i = 0; i < 20'000; ++i)
            lines += "{\"text\": \"a train of " + QByteArray::number(i % 300) + " caf\\u00e9s\"}\n";
        for (const char* threads : {"1", "3"}) {
            const QStringList training{"train-tokenizer", "--size", "300", "--threads", threads, "--out"};
            QCOMPARE(run(training + QStringList{at(QString("%1.json").arg(threads))}, lines).status, 0);
        }
        QCOMPARE(readFile(at("1.json").toStdString()).value(), readFile(at("3.json").toStdString()).value());
        const QStringList call{"tokenize", "--tokenizer", at("1.json"), "--threads"};
        const Outcome one = run(call + QStringList{"1"}, lines);
        QCOMPARE(one.out.count('\n'), 20'000);
        QCOMPARE(run(call + QStringList{"3"}, lines).out, one.out);
        const Outcome bad = run(call + QStringList{"3"}, lines + "{\"text\": 1}\n" + lines);
        QCOMPARE(bad.status, 2);
        QVERIFY2(bad.err.contains("line 20001 is not"), qPrintable(bad.err));
        QCOMPARE(bad.out, one.out);
        const Outcome marked = run(call + QStringList{"1"}, "{\"more\": [1], \"text\": \"<|endoftext|>\"}");
        QCOMPARE(marked.out, QString("{\"ids\":[0]}\n"));
    }

    void tokenizesJsonLines()
    {
        QVERIFY(writeFileAtomically(at("vocab.txt").toStdString(), kVocabulary).ok());
        const Outcome good = run({"tokenize", "--vocab", at("vocab.txt")},
                                 "{\"text\":\"The Railway\"}\n{\"text\":\"\",\"id\":3}\n");
        QCOMPARE(good.status, 0);
        QCOMPARE(good.out, QString("{\"ids\":[5,6,7]}\n{\"ids\":[]}\n"));
        QCOMPARE(run({"tokenize", "--cased", "--vocab", at("vocab.txt")}, "{\"text\":\"The\"}").out,
                 QString("{\"ids\":[1]}\n"));
        const Outcome bad = run({"tokenize", "--vocab", at("vocab.txt")}, "{\"text\":\"the\"}\nhello\n");
        QCOMPARE(bad.status, 2);
        QVERIFY(bad.err.contains("line 2"));
    }

private:
    static QString program() { return TRAINYARD_BIN_DIR "/trainyard-prepare"; }
    QString at(const QString& name) const { return m_folder->filePath(name); }
    void write(const QString& name, const char* text) const
    {
        QVERIFY(writeFileAtomically(at(name).toStdString(), text).ok());
    }
    static QStringList namesIn(const QString& folder)
    {
        return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    QStringList smallArguments(const QString& out, int dupe = 2) const
    {
        return {"prepare",       QString::fromStdString(sampleDump()),
                "--train-vocab", "1000",
                "--out",         at(out),
                "--seq-len",     "64",
                "--max-pred",    "10",
                "--dupe",        QString::number(dupe),
                "--shards",      "2",
                "--test-shards", "1",
                "--threads",     "2"};
    }

    /// A preparation of many minutes, returned when it is at work.
    void startLong(QProcess& process, const QString& out) const
    {
        process.start(program(), smallArguments(out, 1000));
        QVERIFY(process.waitForStarted(kPatienceMs));
        AWAIT(QFile::exists(at("." + out + ".part/scratch/documents")));
    }

    Outcome run(const QStringList& arguments, const QByteArray& input = {}) const
    {
        QProcess process;
        process.setWorkingDirectory(m_folder->path());
        process.start(program(), arguments);
        process.write(input);
        process.closeWriteChannel();
        process.waitForFinished(kPatienceMs);
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestPrepareProgram)
#include "tst_prepare_program.moc"
