#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "datasets/shards/manifest.h"
#include "tests/auto/prepare/prepare_program.h"
#include "tests/auto/prepare/sample_dump.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

/// trainyard-prepare gives the same shards for the same pages, however they are stored and however many
/// threads work on them.
class TestSameBytes : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QString trained = m_folder.filePath("trained");
        QCOMPARE(
            runPrepareProgram({"prepare", dump(false), "--train-vocab", "1000", "--out", trained}).status, 0);
        QVERIFY(QFile::rename(trained + "/vocab.txt", m_folder.filePath("vocab.txt")));
        if (std::filesystem::exists(referenceExcerpt()))
            m_excerpt = QString::fromStdString(referenceExcerpt().string());
        m_expected[false] = shardsOf({QString::fromStdString(sampleDump())}, {"--threads", "1"});
        QVERIFY(!m_expected[false].isEmpty());
        if (!m_excerpt.isEmpty()) {
            m_expected[true] = shardsOf({m_excerpt}, {"--threads", "1"});
            QVERIFY(!m_expected[true].isEmpty());
            QVERIFY(m_expected[true] != m_expected[false]);
        }
    }

    void forAnyNumberOfThreads_data()
    {
        QTest::addColumn<bool>("excerpt");
        QTest::addColumn<QStringList>("options");
        for (const bool excerpt : {false, true}) {
            const char* dump = excerpt ? "excerpt" : "sample";
            QTest::addRow("%s, 2 threads", dump) << excerpt << QStringList{"--threads", "2"};
            QTest::addRow("%s, 8 threads", dump) << excerpt << QStringList{"--threads", "8"};
            QTest::addRow("%s, little memory", dump)
                << excerpt << QStringList{"--threads", "3", "--memory", "128M"};
        }
    }
    void forAnyNumberOfThreads()
    {
        QFETCH(bool, excerpt);
        QFETCH(QStringList, options);
        if (excerpt)
            NEEDS_REFERENCE(referenceExcerpt());
        QCOMPARE(shardsOf({dump(excerpt)}, options), m_expected[excerpt]);
    }

    void forAnyFormOfTheDump_data()
    {
        QTest::addColumn<bool>("excerpt");
        QTest::addColumn<QString>("form");
        QTest::addColumn<QStringList>("files");
        for (const bool excerpt : {false, true}) {
            const char* dump = excerpt ? "excerpt" : "sample";
            for (const char* form : {"plain", "bzip2", "small-blocks", "multistream", "many-streams",
                                     "utf-16-le", "utf-16-be", "bom", "crlf", "no-siteinfo"})
                QTest::addRow("%s, %s", dump, form) << excerpt << form << QStringList{"dump"};
            QTest::addRow("%s, in three parts", dump) << excerpt << "parts" << QStringList{"a", "b", "c"};
        }
    }
    void forAnyFormOfTheDump()
    {
        QFETCH(bool, excerpt);
        QFETCH(QString, form);
        QFETCH(QStringList, files);
        if (excerpt)
            NEEDS_REFERENCE(referenceExcerpt());
        for (QString& file : files)
            file = m_folder.filePath(file + ".xml"); // whose end says nothing of the form
        QCOMPARE(QProcess::execute(TRAINYARD_SOURCE_DIR "/tests/auto/prepare/write_dump_as.py",
                                   QStringList{form, dump(excerpt)} + files),
                 0);
        QCOMPARE(shardsOf(files, {"--threads", "2"}), m_expected[excerpt]);
    }

    void butNotForAnotherSeed()
    {
        const QStringList other = shardsOf({dump(false)}, {"--threads", "2", "--seed", "6"});
        QCOMPARE(other.size(), m_expected[false].size());
        for (int i = 0; i < other.size(); ++i)
            QVERIFY(other[i] != m_expected[false][i]);
    }

private:
    QString dump(bool excerpt) const { return excerpt ? m_excerpt : QString::fromStdString(sampleDump()); }

    /// The SHA-256 of every shard; nothing, with a warning, when the program failed.
    QStringList shardsOf(const QStringList& dumps, const QStringList& options)
    {
        const QString out = m_folder.filePath("out");
        QDir(out).removeRecursively();
        const ProgramOutcome made = runPrepareProgram(
            QStringList{"prepare"} + dumps +
            QStringList{"--vocab", m_folder.filePath("vocab.txt"), "--out", out, "--seq-len", "64",
                        "--max-pred", "10", "--dupe", "2", "--shards", "3"} +
            options);
        const auto manifest = Manifest::load(out.toStdString());
        if (made.status != 0 || !manifest.ok()) {
            qWarning() << made.err;
            return {};
        }
        QStringList digests;
        for (const ShardEntry& shard : manifest->shards)
            digests << QString::fromStdString(shard.sha256);
        return digests;
    }

    QTemporaryDir m_folder;
    QString m_excerpt;
    QStringList m_expected[2]; ///< by one thread; of the sample, of the excerpt
};

QTEST_GUILESS_MAIN(TestSameBytes)
#include "tst_same_bytes.moc"
