#include <QDirIterator>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

// The desk as an installation puts it, moved to another place: everything is found from there.
class TestInstallation : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const Answer installed = run("cmake", {"--install", TRAINYARD_BUILD_DIR, "--component", "desk",
                                               "--prefix", m_folder.filePath("first")});
        QVERIFY2(installed.status == 0, qUtf8Printable(installed.text));
        QVERIFY(QDir(m_folder.path()).rename("first", "second"));
    }

    void theProgramStarts()
    {
        const Answer answer = run(path("bin/trainyard"), {"--version"});
        QCOMPARE(answer.text.trimmed(), QString(TRAINYARD_VERSION));
        QCOMPARE(answer.status, 0);
    }

    void theSampleIsWhereItLooks()
    {
        QVERIFY(QFileInfo::exists(path("lib/trainyard/share/trainyard/samples/trainyard-sample.xml.bz2")));
        QVERIFY(QFileInfo::exists(path("lib/trainyard/share/trainyard/schema/run_spec.schema.json")));
    }

    void eachCommandHasAManPage()
    {
        const Answer commands = run(path("bin/trainyard"), {"complete", "--", ""});
        QStringList names = commands.text.split('\n', Qt::SkipEmptyParts);
        QVERIFY(names.size() > 15);
        for (const QString& name : names)
            QVERIFY2(QFileInfo::exists(path("share/man/man1/trainyard-" + name + ".1.gz")),
                     qUtf8Printable(name));
        const Answer page = run("man", {"-l", path("share/man/man1/trainyard-plan.1.gz")});
        QVERIFY2(page.text.contains("--hardware"), qUtf8Printable(page.text));
        QVERIFY(!page.text.contains(TRAINYARD_BUILD_DIR));
    }

    void desktopsCanShowIt()
    {
        const Answer entry = run("desktop-file-validate", {path("share/applications/trainyard.desktop")});
        QCOMPARE(entry.text, QString());
        QCOMPARE(entry.status, 0);
        const Answer info =
            run("appstreamcli",
                {"validate", "--no-net", path("share/metainfo/org.trainyard.Trainyard.metainfo.xml")});
        QVERIFY2(info.status == 0, qUtf8Printable(info.text));
        QVERIFY(QFileInfo::exists(path("share/icons/hicolor/scalable/apps/trainyard.svg")));
    }

    void shellsCanCompleteIt()
    {
        for (const char* file :
             {"share/bash-completion/completions/trainyard", "share/zsh/vendor-completions/_trainyard",
              "share/fish/vendor_completions.d/trainyard.fish"})
            QVERIFY2(QFileInfo(path(file)).size() > 0, file);
    }

    /// Nobody else's machine has the folders of this one.
    void namesNoFolderOfTheBuild()
    {
        QDirIterator file(m_folder.path(), QDir::Files, QDirIterator::Subdirectories);
        while (file.hasNext()) {
            QFile content(file.next());
            if (content.fileName().endsWith("bin/trainyard"))
                continue; // names its sources in messages of failed checks
            QVERIFY(content.open(QIODevice::ReadOnly));
            QVERIFY2(!content.readAll().contains(TRAINYARD_BUILD_DIR), qUtf8Printable(content.fileName()));
        }
        const Answer dynamic = run("readelf", {"-d", path("lib/trainyard/bin/trainyard")});
        QVERIFY(!dynamic.text.contains(TRAINYARD_BUILD_DIR));
    }

private:
    struct Answer {
        int status = -1;
        QString text; ///< both outputs
    };

    QString path(const QString& name) const { return m_folder.filePath("second/" + name); }

    Answer run(const QString& program, const QStringList& arguments) const
    {
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("TRAINYARD_DATA", m_folder.filePath("desk"));
        environment.insert("MANPAGER", "cat");
        environment.insert("MANWIDTH", "100");
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        if (!process.waitForFinished(120'000))
            process.kill();
        process.waitForFinished();
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                QString::fromUtf8(process.readAll())};
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestInstallation)
#include "tst_installation.moc"
