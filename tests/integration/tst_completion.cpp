#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

// Completion as the shells ask for it: the built program, and real shells that read its script.
class TestCompletion : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        qputenv("TRAINYARD_DATA", m_desk.path().toUtf8());
        qputenv("PATH", QByteArray(TRAINYARD_BIN_DIR ":") + qgetenv("PATH"));
        QVERIFY(QDir(m_desk.path()).mkpath("hardware"));
        QFile mine(m_desk.filePath("hardware/my-cluster.json"));
        QVERIFY(mine.open(QIODevice::WriteOnly));
    }

    void offersWhatMayFollow_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QStringList>("offered");
        QTest::addRow("commands") << QStringList{"pl"} << QStringList{"plan"};
        QTest::addRow("commands of a command") << QStringList{"hosts", "c"} << QStringList{"check"};
        QTest::addRow("options") << QStringList{"plan", "spec.json", "--max"} << QStringList{"--max-pred"};
        QTest::addRow("values of a list")
            << QStringList{"search", "spec.json", "--objective", ""} << QStringList{"cost", "memory", "time"};
        QTest::addRow("shells") << QStringList{"completion", ""} << QStringList{"bash", "zsh", "fish"};
        QTest::addRow("hardware, the user's own too")
            << QStringList{"plan", "--hardware", "my"} << QStringList{"my-cluster"};
        QTest::addRow("options of a model's command")
            << QStringList{"try", "model", "--max"} << QStringList{"--max-new"};
        QTest::addRow("hosts") << QStringList{"hosts", "check", "lo"} << QStringList{"localhost"};
        QTest::addRow("further hosts")
            << QStringList{"hosts", "check", "a", "b", "lo"} << QStringList{"localhost"};
        QTest::addRow("after an option's value the next thing")
            << QStringList{"plan", "--hardware", "p4d.24xlarge", "--js"} << QStringList{"--json"};
        QTest::addRow("a file: nothing, the shell knows files") << QStringList{"plan", ""} << QStringList();
        QTest::addRow("nothing of that beginning") << QStringList{"zz"} << QStringList();
        QTest::addRow("not what shells alone ask") << QStringList{"comp"} << QStringList{"completion"};
    }
    void offersWhatMayFollow()
    {
        QFETCH(QStringList, words);
        QFETCH(QStringList, offered);
        const QString answer = run(TRAINYARD_BIN_DIR "/trainyard", QStringList{"complete", "--"} + words);
        QStringList found = answer.split('\n', Qt::SkipEmptyParts);
        found.sort();
        offered.sort();
        QCOMPARE(found, offered);
    }

    /// Commands of node executables answer by themselves.
    void everyHelpTeaches_data()
    {
        QTest::addColumn<QStringList>("command");
        const QString names = run(TRAINYARD_BIN_DIR "/trainyard", {"complete", "--", ""});
        for (const QString& name : names.split('\n', Qt::SkipEmptyParts))
            QTest::addRow("%s", qPrintable(name)) << QStringList{name};
        const QString ofHosts = run(TRAINYARD_BIN_DIR "/trainyard", {"complete", "--", "hosts", ""});
        for (const QString& name : ofHosts.split('\n', Qt::SkipEmptyParts))
            QTest::addRow("hosts %s", qPrintable(name)) << QStringList{"hosts", name};
    }
    void everyHelpTeaches()
    {
        QFETCH(QStringList, command);
        const QString help = run(TRAINYARD_BIN_DIR "/trainyard", command + QStringList{"--help"});
        if (help.contains("cannot start") && !QFile::exists(TRAINYARD_BIN_DIR "/trainyard-prepare"))
            QSKIP("the node half was not built");
        QVERIFY2(help.contains("Exit status: 0 done"), qPrintable(help));
        const QString example = "  trainyard " + command.join(' ');
        QVERIFY2(command == QStringList{"hosts"} || help.contains('\n' + example) ||
                     help.contains("| " + example.trimmed()),
                 qPrintable(help));
    }

    void bashAsks()
    {
        const QString answer = run(
            "bash", {"--norc", "-c",
                     "source <(trainyard completion bash); COMP_WORDS=(trainyard hosts ch); COMP_CWORD=2; "
                     "_trainyard; printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p trainyard"});
        QVERIFY2(answer.startsWith("check\n"), qUtf8Printable(answer));
        QVERIFY2(answer.contains("-F _trainyard trainyard"), qUtf8Printable(answer));
    }

    void fishAsks()
    {
        const QString answer =
            run("fish", {"--no-config", "-c",
                         "trainyard completion fish | source; complete -C 'trainyard hosts ch'"});
        QCOMPARE(answer.split('\n').first(), QString("check"));
    }

    /// zsh completes at a terminal alone: it gets one of its own, and types a tab.
    void zshAsks()
    {
        const QString answer = run("zsh", {"-f", "-c", R"(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'autoload -Uz compinit && compinit -u -D && source <(trainyard completion zsh); PS1="ready> "; print loaded'
zpty -r -m shell line '*loaded*ready> *'
zpty -w -n shell $'trainyard hosts ch\t'
zpty -r -m shell line '*hosts check*'
print -r -- "$line"
zpty -d shell
)"});
        QVERIFY2(answer.contains("hosts check"), qUtf8Printable(answer));
    }

private:
    static QString run(const QString& program, const QStringList& arguments)
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        if (!process.waitForFinished(60'000))
            process.kill();
        process.waitForFinished();
        return QString::fromUtf8(process.readAll());
    }

    QTemporaryDir m_desk;
};

QTEST_GUILESS_MAIN(TestCompletion)
#include "tst_completion.moc"
