#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "datasets/shards/manifest.h"
#include "engine/base/file.h"
#include "tests/auto/input/table_writer.h"
#include "tests/auto/prepare/prepare_program.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

const QStringList kForms{"snappy.parquet", "one-group.parquet", "stream.arrow", "zstd.arrow",
                         "dictionary.arrow"};

} // namespace

/// trainyard-prepare gives the same shards for the same documents, in Parquet, Arrow or JSON lines, and keeps
/// its other promises with them.
class TestTableInputs : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(writeTables({"sample", m_folder.path()}));
        QVERIFY(writeTables(QStringList{at("documents.jsonl"), m_folder.path(), "content.parquet",
                                        "empty.parquet", "one-batch.arrow"} +
                            kForms));
        const ProgramOutcome made = prepare({at("documents.jsonl")}, {"--train-vocab", "500"});
        QVERIFY2(made.status == 0, qPrintable(made.err));
        QVERIFY(QFile::rename(at("out/vocab.txt"), at("vocab.txt")));
        m_expected = shardsOf({at("documents.jsonl")});
        QCOMPARE(m_expected.digests.size(), 5);
    }

    void giveTheShardsOfTheJsonLines_data()
    {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("threads");
        for (const QString& form : kForms) {
            for (const char* threads : {"1", "2", "5"})
                QTest::addRow("%s, %s threads", qPrintable(form), threads) << form << threads;
        }
    }
    void giveTheShardsOfTheJsonLines()
    {
        QFETCH(QString, form);
        QFETCH(QString, threads);
        const Made made = shardsOf({at(form)}, {"--threads", threads, "--memory", "128M"});
        QCOMPARE(made.digests, m_expected.digests);
        QCOMPARE(made.counters, m_expected.counters);
        QCOMPARE(made.format, form.endsWith("parquet") ? "parquet" : "arrow");
    }

    void trainTheSameVocabulary()
    {
        QVERIFY(prepare({at("zstd.arrow")}, {"--train-vocab", "500"}).status == 0);
        QCOMPARE(readFile(at("out/vocab.txt").toStdString()).value(),
                 readFile(at("vocab.txt").toStdString()).value());
    }

    void areVerified()
    {
        QVERIFY(!shardsOf({at("snappy.parquet")}).digests.isEmpty());
        const ProgramOutcome verified = runPrepareProgram({"verify", at("out")});
        QVERIFY2(verified.status == 0, qPrintable(verified.err));
    }

    void nameTheColumn()
    {
        QCOMPARE(shardsOf({at("content.parquet")}, {"--text", "content"}).digests, m_expected.digests);
        const ProgramOutcome other = prepare({at("content.parquet")}, {"--vocab", at("vocab.txt")});
        QCOMPARE(other.status, 2);
        QVERIFY2(other.err.contains("content.parquet: there is no column \"text\""), qPrintable(other.err));
        QVERIFY(other.err.contains("content (") && other.err.contains("--text"));
        QVERIFY(!QFile::exists(at("out")) && !QFile::exists(at(".out.part")));
    }

    void joinFromParts()
    {
        for (const char* part : {"1", "2"}) {
            const QString form = *part == '1' ? "snappy.parquet" : "stream.arrow";
            const ProgramOutcome made = runPrepareProgram(
                {"documents", at(form), "--vocab", at("vocab.txt"), "--out", at(QString("part") + part)});
            QVERIFY2(made.status == 0, qPrintable(made.err));
        }
        const Made whole = shardsOf({at("snappy.parquet"), at("stream.arrow")});
        const Made joined = shardsOf({"--documents", at("part1"), at("part2")});
        QCOMPARE(joined.digests, whole.digests);
        QCOMPARE(joined.format, QString("parquet+arrow"));
    }

    void takeFoldersApart()
    {
        QVERIFY(QDir().mkpath(at("hub/data")));
        QVERIFY(QFile::copy(at("snappy.parquet"), at("hub/data/train-00000-of-00002.parquet")));
        QVERIFY(QFile::copy(at("one-group.parquet"), at("hub/data/train-00001-of-00002.parquet")));
        QVERIFY(QFile::copy(at("empty.parquet"), at("hub/data/test-00000-of-00001.parquet")));
        const Made folder = shardsOf({at("hub")});
        QCOMPARE(folder.digests, shardsOf({at("snappy.parquet"), at("one-group.parquet")}).digests);
        QVERIFY2(folder.said.contains("left out: data/test-00000-of-00001.parquet"), qPrintable(folder.said));
    }

    void leaveNothingOfATruncatedFile()
    {
        QVERIFY(QFile::copy(at("stream.arrow"), at("cut.arrow")));
        QVERIFY(QFile::resize(at("cut.arrow"), 300'000));
        const ProgramOutcome cut = prepare({at("cut.arrow")}, {"--vocab", at("vocab.txt")});
        QCOMPARE(cut.status, 2);
        QVERIFY2(cut.err.contains("cut.arrow: after row") && cut.err.contains("truncated"),
                 qPrintable(cut.err));
        QVERIFY(!QFile::exists(at("out")) && !QFile::exists(at(".out.part")));
    }

    void goOnAfterKills_data()
    {
        QTest::addColumn<QString>("form");
        QTest::newRow("parquet") << "snappy.parquet";
        QTest::newRow("arrow") << "zstd.arrow";
    }
    void goOnAfterKills()
    {
        QFETCH(QString, form);
        const QStringList files(4, at(form));
        const Made whole = shardsOf(files);
        QDir(at("out")).removeRecursively();
        int kills = 0;
        for (int life = 30; killAfter(files, life); life += 30)
            ++kills;
        qInfo("%d kills", kills);
        QVERIFY(kills > 2);
        QCOMPARE(made({}).digests, whole.digests);
    }

    /// As a single batch, or as one row group: many times what a process may take.
    void needLittleMemory_data()
    {
        QTest::addColumn<QString>("form");
        QTest::newRow("parquet") << "one-group.parquet";
        QTest::newRow("arrow") << "one-batch.arrow";
    }
    void needLittleMemory()
    {
        QFETCH(QString, form);
        const QByteArray lines =
            QByteArray::fromStdString(readFile(at("documents.jsonl").toStdString()).value());
        QFile many(at("many.jsonl"));
        QVERIFY(many.open(QIODevice::WriteOnly));
        for (int i = 0; i < 100; ++i)
            many.write(lines);
        many.close();
        QVERIFY(QDir().mkpath(at("many")));
        QVERIFY(writeTables({at("many.jsonl"), at("many"), form}));
        const long usual = peakKiB({at(form)});
        const long peak = peakKiB({at("many/" + form)});
        qInfo("%ld KiB, of a hundredth %ld KiB", peak, usual);
        QVERIFY(usual > 0);
        QVERIFY2(peak < usual + (40 << 10), qPrintable(QString::number(peak)));
        QDir(at("many")).removeRecursively();
    }

    void sayWhenTheModuleIsMissing()
    {
        QVERIFY(QDir().mkpath(at("alone/bin")));
        QVERIFY(QFile::copy(TRAINYARD_BIN_DIR "/trainyard-prepare", at("alone/bin/trainyard-prepare")));
        QDir(at("out")).removeRecursively();
        QProcess alone;
        alone.start(at("alone/bin/trainyard-prepare"),
                    {"prepare", at("snappy.parquet"), "--vocab", at("vocab.txt"), "--out", at("out")});
        QVERIFY(alone.waitForFinished(kPatienceMs));
        const QString said = alone.readAllStandardError();
        QCOMPARE(alone.exitCode(), 3);
        QVERIFY2(said.contains("snappy.parquet") && said.contains("libtrainyard_tables.so"),
                 qPrintable(said));
        QVERIFY(!QFile::exists(at("out")) && !QFile::exists(at(".out.part")));
        alone.start(at("alone/bin/trainyard-prepare"),
                    {"prepare", at("documents.jsonl"), "--vocab", at("vocab.txt"), "--out", at("other")});
        QVERIFY(alone.waitForFinished(kPatienceMs));
        QCOMPARE(alone.exitCode(), 0);
    }

private:
    /// What a preparation gave.
    struct Made {
        QStringList digests; ///< of the shards; empty if it failed
        std::map<std::string, std::uint64_t> counters;
        QString format;
        QString said;
    };

    QString at(const QString& name) const { return m_folder.filePath(name); }

    QStringList arguments(const QStringList& files, const QStringList& options) const
    {
        return QStringList{"prepare"} + files +
               QStringList{"--out", at("out"), "--seq-len", "64",       "--max-pred",
                           "10",    "--dupe",  "1",         "--shards", "3"} +
               options;
    }
    ProgramOutcome prepare(const QStringList& files, const QStringList& options) const
    {
        QDir(at("out")).removeRecursively();
        return runPrepareProgram(arguments(files, options));
    }
    Made shardsOf(const QStringList& files, const QStringList& options = {}) const
    {
        return made(prepare(files, QStringList{"--vocab", at("vocab.txt")} + options));
    }
    Made made(const ProgramOutcome& outcome) const
    {
        const auto manifest = Manifest::load(at("out").toStdString());
        if (!manifest.ok()) {
            qWarning() << outcome.err;
            return {};
        }
        Made made{{}, manifest->counters, QString::fromStdString(manifest->settings.format), outcome.err};
        for (const ShardEntry& shard : manifest->shards)
            made.digests << QString::fromStdString(shard.sha256);
        return made;
    }

    /// False when the preparation ended by itself before.
    bool killAfter(const QStringList& files, int milliseconds) const
    {
        QProcess process;
        process.start(
            TRAINYARD_BIN_DIR "/trainyard-prepare",
            arguments(files, {"--vocab", at("vocab.txt"), "--save-every", "0.001", "--threads", "2"}));
        if (process.waitForFinished(milliseconds))
            return false;
        process.kill();
        process.waitForFinished(kPatienceMs);
        return true;
    }

    /// The most memory of a process that reads the files; -1 when it failed.
    long peakKiB(const QStringList& files) const
    {
        QDir(at("documents")).removeRecursively();
        QList<QByteArray> words{TRAINYARD_BIN_DIR "/trainyard-prepare", "documents"};
        for (const QString& word :
             files + QStringList{"--vocab", at("vocab.txt"), "--out", at("documents"), "--threads", "2"})
            words << word.toUtf8();
        std::vector<char*> argv;
        for (QByteArray& word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        const pid_t child = ::fork();
        if (child == 0) {
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        int status = 0;
        rusage usage{};
        ::wait4(child, &status, 0, &usage);
        return status == 0 ? usage.ru_maxrss : -1;
    }

    QTemporaryDir m_folder;
    Made m_expected;
};

QTEST_GUILESS_MAIN(TestTableInputs)
#include "tst_table_inputs.moc"
