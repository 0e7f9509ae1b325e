#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

// The portable archive in a root that has nothing but the C library: no Qt, no fonts, no other library, no
// build folder.
class TestPortable : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (::geteuid() != 0)
            QSKIP("changing the root folder needs root");
        const QString archive = m_folder.filePath("portable.tar.zst");
        qputenv("ZSTD_CLEVEL", "1"); // soon done is enough here
        const Answer made =
            run(TRAINYARD_SOURCE_DIR "/packaging/portable", {"--build", TRAINYARD_BUILD_DIR, archive});
        QVERIFY2(made.status == 0, qUtf8Printable(made.text));
        QVERIFY(QDir(m_folder.path()).mkpath("root/tmp"));
        QVERIFY(QDir(m_folder.path()).mkpath("root/proc"));
        const Answer unpacked = run("tar", {"-C", m_folder.filePath("root"), "-xf", archive});
        QVERIFY2(unpacked.status == 0, qUtf8Printable(unpacked.text));
        m_tree = QDir(m_folder.filePath("root")).entryList({"trainyard-*"}).value(0);
        QVERIFY(!m_tree.isEmpty());
        for (const char* library :
             {"/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libc.so.6",
              "/lib/x86_64-linux-gnu/libm.so.6", "/lib/x86_64-linux-gnu/libdl.so.2",
              "/lib/x86_64-linux-gnu/librt.so.1", "/lib/x86_64-linux-gnu/libpthread.so.0",
              "/lib/x86_64-linux-gnu/libresolv.so.2", "/lib/x86_64-linux-gnu/libutil.so.1"})
            copy(library);
    }

    void theProgramStarts()
    {
        const Answer answer = inRoot({}, {"--version"});
        QCOMPARE(answer.text, QString(TRAINYARD_VERSION "\n"));
        QCOMPARE(answer.status, 0);
    }

    void itDrawsAReport()
    {
        support::SampleRun sample;
        sample.steps = sample.reached = 20;
        const QString run = support::writeSampleRun(m_folder.filePath("root/desk/runs"), sample);
        QVERIFY(!run.isEmpty());
        const Answer answer = inRoot({}, {"report", QFileInfo(run).fileName(), "--all", "/tmp/report"});
        QVERIFY2(answer.status == 0, qUtf8Printable(answer.text));
        QFile pages(m_folder.filePath("root/tmp/report.pdf"));
        QVERIFY(pages.open(QIODevice::ReadOnly));
        QVERIFY(pages.readAll().contains("DejaVuSans")); // the fonts that came along
    }

    /// As far as one gets without a display: the platform and all that it needs are loaded.
    void theWindowLooksForADisplay()
    {
        const Answer answer = inRoot({"QT_QPA_PLATFORM=xcb", "DISPLAY=:4711"}, {});
        QVERIFY2(answer.text.contains("could not connect to display :4711"), qUtf8Printable(answer.text));
    }

    void theEngineComesAlong()
    {
        if (!QFileInfo::exists(TRAINYARD_BIN_DIR "/trainyard-prepare"))
            QSKIP("the node half was not built");
        const Answer answer = inRoot({}, {"tokenize", "--help"});
        QVERIFY2(answer.status == 0 && answer.text.contains("--vocab"), qUtf8Printable(answer.text));
    }

private:
    struct Answer {
        int status = -1;
        QString text; ///< both outputs
    };

    void copy(const QString& library)
    {
        const QString target = m_folder.filePath("root" + library);
        QVERIFY(QDir().mkpath(QFileInfo(target).path()));
        QVERIFY2(QFile::copy(library, target), qPrintable(library));
    }

    /// With /proc, by which a program knows where it is.
    Answer inRoot(const QStringList& environment, const QStringList& arguments) const
    {
        const QString root = m_folder.filePath("root");
        return run("env", QStringList{"-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TRAINYARD_DATA=/desk",
                                      "HOME=/tmp"} +
                              environment +
                              QStringList{"unshare", "--mount", "--propagation", "private", "sh", "-c",
                                          "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" \"$@\"", root,
                                          "/" + m_tree + "/bin/trainyard"} +
                              arguments);
    }

    static Answer run(const QString& program, const QStringList& arguments)
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        if (!process.waitForFinished(280'000))
            process.kill();
        process.waitForFinished();
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                QString::fromUtf8(process.readAll())};
    }

    QTemporaryDir m_folder;
    QString m_tree; ///< of the archive, below the root
};

QTEST_GUILESS_MAIN(TestPortable)
#include "tst_portable.moc"
