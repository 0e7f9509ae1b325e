#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "datasets/shards/manifest.h"
#include "tests/auto/prepare/prepare_program.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;

/// Disks that are full, closed or not this user's: the program says so, with what to do, publishes nothing
/// and leaves nothing behind. Small disks are mounted where nobody else sees them, in a mount namespace of
/// this test.
class TestPrepareDisks : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            QSKIP("needs the right to make a mount namespace");
        QVERIFY(QDir().mkpath(at("disk")));
        const ProgramOutcome trained = prepare(at("trained"), {"--train-vocab", "1000"});
        QVERIFY2(trained.status == 0, qPrintable(trained.err));
        m_vocabulary = {"--vocab", at("trained/vocab.txt")};
    }
    void cleanup()
    {
        if (m_mounted)
            ::umount(qPrintable(at("disk")));
        m_mounted = false;
    }

    /// The disk grows by a fifth until everything fits, so that it is full at every stage once.
    void saysAtEveryStageThatADiskIsFull_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addRow("one width") << QStringList{};
        QTest::addRow("two widths") << QStringList{"--seq-len", "64,128", "--max-pred", "10,20"};
        QTest::addRow("all formats") << QStringList{"--also", "megatron,mds"};
    }
    void saysAtEveryStageThatADiskIsFull()
    {
        QFETCH(QStringList, options);
        int full = 0;
        for (int kibibytes = 40; kibibytes < 100000; kibibytes += kibibytes / 5) {
            mountSmallDisk(QString("size=%1k").arg(kibibytes));
            const ProgramOutcome outcome = prepare(at("disk/sets/out"), m_vocabulary + options);
            if (outcome.status == 0)
                break;
            ++full;
            checkFailure(outcome, 5, "No space left", QByteArray::number(kibibytes) + " KiB");
            if (QTest::currentTestFailed())
                return;
            cleanup();
        }
        QVERIFY(full >= 10);
        const ProgramOutcome verified = runPrepareProgram({"verify", at("disk/sets/out")});
        QVERIFY2(options.contains("64,128") || verified.status == 0, qPrintable(verified.err));
    }

    /// A disk can have bytes left and no room for one more file.
    void saysThatADiskTakesNoMoreFiles()
    {
        for (const int files : {2, 5, 9, 14}) {
            mountSmallDisk(QString("size=100m,nr_inodes=%1").arg(files));
            checkFailure(prepare(at("disk/out"), m_vocabulary), 5, "No space left",
                         QByteArray::number(files) + " files");
            cleanup();
        }
    }

    void saysThatADiskIsFullForAConversion()
    {
        for (const int kibibytes : {16, 300, 1000}) {
            mountSmallDisk(QString("size=%1k").arg(kibibytes));
            checkFailure(
                runPrepareProgram({"convert", at("trained"), "--format", "mds", "--out", at("disk/mds")}), 5,
                "No space left", QByteArray::number(kibibytes) + " KiB");
            cleanup();
        }
    }

    void goesOnAfterwards()
    {
        mountSmallDisk("size=400k");
        QCOMPARE(prepare(at("disk/out"), m_vocabulary).status, 5);
        QCOMPARE(::mount("tmpfs", qPrintable(at("disk")), "tmpfs", MS_REMOUNT, "size=50m"), 0);
        const ProgramOutcome second = prepare(at("disk/out"), m_vocabulary);
        QVERIFY2(second.status == 0, qPrintable(second.err));
        QCOMPARE(Manifest::load(at("disk/out").toStdString())->shards[0].sha256,
                 Manifest::load(at("trained").toStdString())->shards[0].sha256);
    }

    void saysThatADiskCannotBeWritten()
    {
        mountSmallDisk("size=50m");
        QCOMPARE(::mount("tmpfs", qPrintable(at("disk")), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
        checkFailure(prepare(at("disk/out"), m_vocabulary), 2, "Read-only file system", "read-only");
    }

    void saysWhatAnotherUserMayNot_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* what : {"dump", "vocabulary", "out"})
            QTest::addRow("%s", what) << what;
    }
    void saysWhatAnotherUserMayNot()
    {
        QFETCH(QString, what);
        if (QProcess::execute("setpriv", {"--reuid", "65534", "--clear-groups", "true"}) != 0)
            QSKIP("setpriv cannot become another user here");
        mountSmallDisk("size=50m,mode=0777");
        QFile::setPermissions(m_folder.path(), QFile::Permissions(0x7755));
        const QString dump = at("disk/dump.xml.bz2"), vocabulary = at("disk/vocab.txt");
        QVERIFY(QFile::copy(QString::fromStdString(sampleDump()), dump));
        QVERIFY(QFile::copy(at("trained/vocab.txt"), vocabulary));
        QVERIFY(QDir().mkpath(at("disk/mine")));
        if (what != "out")
            QVERIFY(QFile::setPermissions(what == "dump" ? dump : vocabulary, QFile::Permissions()));
        QProcess process;
        process.start("setpriv", {"--reuid", "65534", "--clear-groups",
                                  TRAINYARD_BIN_DIR "/trainyard-prepare", "prepare", dump, "--vocab",
                                  vocabulary, "--out", what == "out" ? at("disk/mine/out") : at("disk/out")});
        QVERIFY(process.waitForFinished(kPatienceMs));
        const QString said = process.readAllStandardError();
        QCOMPARE(process.exitCode(), 2);
        QVERIFY2(said.contains("Permission denied"), qPrintable(said));
        QVERIFY2(said.contains(what == "out"    ? "disk/mine"
                               : what == "dump" ? dump
                                                : vocabulary),
                 qPrintable(said));
        QCOMPARE(QDir(at("disk")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 (QStringList{"dump.xml.bz2", "mine", "vocab.txt"}));
    }

    void saysThatAFolderIsNoDump()
    {
        mountSmallDisk("size=50m");
        const ProgramOutcome outcome =
            runPrepareProgram(QStringList{"prepare", at("trained"), "--out", at("disk/out")} + m_vocabulary);
        checkFailure(outcome, 2, "trained", "a folder");
    }

private:
    QString at(const QString& name) const { return m_folder.filePath(name); }

    void mountSmallDisk(const QString& options)
    {
        QCOMPARE(::mount("tmpfs", qPrintable(at("disk")), "tmpfs", 0, qPrintable(options)), 0);
        m_mounted = true;
    }

    static ProgramOutcome prepare(const QString& out, const QStringList& options)
    {
        QStringList arguments{"prepare",       QString::fromStdString(sampleDump()),
                              "--out",         out,
                              "--dupe",        "2",
                              "--shards",      "2",
                              "--test-shards", "1",
                              "--threads",     "2"};
        if (!options.contains("--seq-len"))
            arguments += {"--seq-len", "64", "--max-pred", "10"};
        return runPrepareProgram(arguments + options);
    }

    /// One message with what to do, and an empty disk.
    void checkFailure(const ProgramOutcome& outcome, int status, const char* said,
                      const QByteArray& when) const
    {
        const QByteArray context = when + ": " + outcome.err.toUtf8();
        QVERIFY2(outcome.status == status, context);
        QVERIFY2(outcome.err.contains(said), context);
        QVERIFY2(outcome.err.contains(QString::fromUtf8(" — ")), context);
        const QStringList left =
            QDir(at("disk")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        QVERIFY2(left.isEmpty(), context + "left: " + left.join(' ').toUtf8());
    }

    QTemporaryDir m_folder;
    bool m_mounted = false; ///< is on disk/
    QStringList m_vocabulary;
};

QTEST_GUILESS_MAIN(TestPrepareDisks)
#include "tst_prepare_disks.moc"
