#include <QDir>
#include <QDirIterator>
#include <QTest>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "tests/integration/cli_fixture.h"
#include "tests/integration/condition_table.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

using InChild = std::function<void()>;

/// Gives the new process `out` for standard output, and all of `in` to read.
InChild streams(int in, int out)
{
    return [in, out] {
        ::lseek(in, 0, SEEK_SET);
        ::dup2(in, STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
    };
}

/// With another name for what must not be there yet.
QStringList anew(QStringList call, const QString& name)
{
    return call.replaceInStrings("NEW", name);
}

QStringList filesIn(const QString& folder)
{
    QStringList names;
    QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext())
        names << QFileInfo(files.next()).fileName();
    return names;
}

QString lastLine(const QString& text)
{
    return text.trimmed().section('\n', -1);
}

} // namespace

// A command whose output is lost, or whose files cannot be written, says so and fails: whoever reads only the
// exit status never takes half a result for a whole one.
class TestLostOutput : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_fullDevice = FileDescriptor(::open("/dev/full", O_WRONLY | O_CLOEXEC));
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        m_deserted = FileDescriptor(ends[1]);
        ::close(ends[0]);
        makeFiles();
    }

    void saysThatItsOutputIsLost_data() { addPrintingCommands(); }
    void saysThatItsOutputIsLost()
    {
        QFETCH(QStringList, call);
        const QString command = QTest::currentDataTag();
        const CliResult full = m_cli.run(anew(call, "first"), streams(m_lines.get(), m_fullDevice.get()));
        m_output.add(command, "/dev/full", result(full));
        QVERIFY2(full.status == 5, qPrintable(result(full)));
        QCOMPARE(full.err.count("cannot write the output: No space left on device"), 1);
        const CliResult deserted = m_cli.run(anew(call, "second"), streams(m_lines.get(), m_deserted.get()));
        m_output.add(command, "closed pipe", result(deserted));
        QVERIFY2(deserted.status == 5, qPrintable(result(deserted)));
        QVERIFY2(!deserted.err.contains("cannot write"), qPrintable(deserted.err));
    }

    // Files that are opened later must not get the number of the stream and what is printed to it.
    void doesNotPrintIntoItsFiles_data()
    {
        QTest::addColumn<QStringList>("call");
        QTest::addRow("runs") << QStringList{"runs", "--recorded"};
        QTest::addRow("verify") << QStringList{"verify", m_cli.dataset()};
        QTest::addRow("export --csv") << QStringList{"export", m_run, "--csv", m_cli.path("run.csv")};
    }
    void doesNotPrintIntoItsFiles()
    {
        QFETCH(QStringList, call);
        const CliResult closed = m_cli.run(call, [] { ::close(STDOUT_FILENO); });
        m_output.add(QTest::currentDataTag(), "no standard output", result(closed));
        QVERIFY2(closed.status == 5, qPrintable(result(closed)));
        QVERIFY2(closed.err.contains("cannot write the output: Bad file descriptor"), qPrintable(closed.err));
    }

    void endsAsAlwaysWhereNobodyListens_data()
    {
        QTest::addColumn<QStringList>("call");
        QTest::addColumn<int>("status");
        QTest::addRow("runs nowhere") << QStringList{"runs", "spec", "nowhere"} << 2;
        QTest::addRow("verify nowhere") << QStringList{"verify", "nowhere"} << 2;
        QTest::addRow("eval nowhere") << QStringList{"eval", "--hf", "nowhere", "--inputs", "nowhere"} << 2;
        QTest::addRow("verify") << QStringList{"verify", m_cli.dataset()} << 0;
    }
    void endsAsAlwaysWhereNobodyListens()
    {
        QFETCH(QStringList, call);
        for (const auto& [name, fd] :
             {std::pair{"/dev/full", m_fullDevice.get()}, {"pipe", m_deserted.get()}}) {
            const CliResult ended = m_cli.run(call, [fd] { ::dup2(fd, STDERR_FILENO); });
            m_output.add(QTest::currentDataTag(), QString("errors to %1").arg(name), result(ended));
            QTEST(ended.status, "status");
        }
    }

    void saysThatItsFileCannotBeWritten_data() { addWritingCommands(); }
    void saysThatItsFileCannotBeWritten()
    {
        QFETCH(QStringList, call);
        if (!mayMount())
            QSKIP("needs the right to make a mount namespace");
        const QString disk = m_cli.path("disk");
        for (const auto& [condition, options, reason] :
             {std::tuple{"full folder", 0UL, "No space left on device"},
              {"read-only folder", MS_RDONLY, "Read-only file system"}}) {
            QCOMPARE(::mount("tmpfs", qPrintable(disk), "tmpfs", 0, "size=4k"), 0);
            m_cli.write("disk/other", QByteArray(4096, 'x'));
            QCOMPARE(::mount("tmpfs", qPrintable(disk), "tmpfs", MS_REMOUNT | options, "size=4k"), 0);
            const CliResult ended = m_cli.run(call);
            const QStringList left = filesIn(disk);
            ::umount(qPrintable(disk));
            m_files.add(QTest::currentDataTag(), condition, result(ended));
            QVERIFY2(ended.status == 2 || ended.status == 5, qPrintable(result(ended)));
            QVERIFY2(ended.err.contains(disk), qPrintable(ended.err));
            QVERIFY2(ended.err.contains(reason), qPrintable(ended.err));
            QCOMPARE(left, QStringList{"other"});
        }
    }

private:
    void makeFiles()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
        QVERIFY(QDir().mkpath(m_cli.path("disk")));
        support::SampleRun sample;
        m_run = write(sample);
        support::writeSampleRun(m_cli.path("home/runs"), sample);
        sample.name = "bert-fast";
        sample.learningRate = 5e-3;
        m_other = write(sample);
        RunSpec spec = tinySpec(m_cli.dataset(), 1, 10);
        spec.batch = {64, 4, 16};
        m_spec = m_cli.writeSpec("spec.json", spec);
        const QString lines = m_cli.write("lines.jsonl", R"({"text": "the train departs"})"
                                                         "\n");
        m_lines = FileDescriptor(::open(qPrintable(lines), O_RDONLY | O_CLOEXEC));
        m_csv = m_cli.write("curve.csv", "step,loss\n1,9.5\n2,9.25\n");
        m_arguments =
            m_cli.write("arguments.sh", "--num-layers 2 --hidden-size 32 --num-attention-heads 2\n");
    }
    QString write(const support::SampleRun& sample) const
    {
        return QDir(support::writeSampleRun(m_cli.path("desk/runs"), sample)).dirName();
    }

    void addPrintingCommands()
    {
        QTest::addColumn<QStringList>("call");
        const auto add = [](const char* name, const QStringList& call) { QTest::addRow("%s", name) << call; };
        const QString hardware = "p4d.24xlarge";
        add("--help", {"--help"});
        add("--version", {"--version"});
        add("runs", {"runs", "--recorded"});
        add("runs --json", {"runs", "--recorded", "--json"});
        add("runs --csv", {"runs", "--recorded", "--csv"});
        add("runs spec", {"runs", "spec", m_run});
        add("runs tag", {"runs", "tag", m_run, "paper"});
        add("diff", {"diff", m_run, m_other});
        add("diff --json", {"diff", m_run, m_other, "--json"});
        add("export --csv", {"export", m_run, "--csv", m_cli.path("run.csv")});
        add("import", {"import", m_csv});
        add("import --list", {"import", m_csv, "--list"});
        add("report", {"report", m_run, "--out", m_cli.path("report.csv")});
        add("plan", {"plan", m_spec});
        add("plan --json", {"plan", m_spec, "--json"});
        add("search", {"search", m_spec, "--hardware", hardware, "--nodes", "1"});
        add("partition", {"partition", m_spec, "--hardware", hardware});
        add("scaling --predict", {"scaling", m_spec, "--predict", hardware, "--ranks", "8,16"});
        add("import-spec", {"import-spec", "megatron", m_arguments, "--base", m_spec});
        add("export-spec", {"export-spec", "megatron", m_spec});
        add("hosts list", {"hosts", "list"});
        add("clean", {"clean", "--host", "localhost", "--dry-run"});
        add("completion", {"completion", "bash"});
        add("complete", {"complete", "la"});
        add("verify", {"verify", m_cli.dataset()});
        add("verify --json", {"verify", m_cli.dataset(), "--json"});
        add("convert", {"convert", m_cli.dataset(), "--format", "mds", "--out", m_cli.path("mds-NEW")});
        add("tokenize", {"tokenize", "--vocab", m_cli.dataset() + "/vocab.txt"});
        add("prepare",
            {"prepare", QString(TRAINYARD_SOURCE_DIR) + "/resources/samples/trainyard-sample.xml.bz2",
             "--vocab", m_cli.dataset() + "/vocab.txt", "--dupe", "1", "--out", m_cli.path("set-NEW")});
        add("checkpoints", {"checkpoints", m_run, "--json"});
        add("logs", {"logs", m_run});
        add("certify", {"certify", m_spec, "--steps", "1"});
        add("eval --help", {"eval", "--help"});
    }

    void addWritingCommands()
    {
        QTest::addColumn<QStringList>("call");
        const auto add = [this](const char* name, const QStringList& call, const char* file) {
            QTest::addRow("%s", name) << call + QStringList{m_cli.path(QString("disk/%1").arg(file))};
        };
        const QString hardware = "p4d.24xlarge";
        add("export --csv", {"export", m_run, "--csv"}, "run.csv");
        add("export --json", {"export", m_run, "--json"}, "run.json");
        add("export --tensorboard", {"export", m_run, "--tensorboard"}, "logs");
        add("report --out .html", {"report", m_run, "--out"}, "report.html");
        add("report --out .pdf", {"report", m_run, "--out"}, "report.pdf");
        add("report --out .csv", {"report", m_run, "--out"}, "report.csv");
        add("report --out .json", {"report", m_run, "--out"}, "report.json");
        add("runs spec --out", {"runs", "spec", m_run, "--out"}, "spec.json");
        add("search --spec-out", {"search", m_spec, "--hardware", hardware, "--nodes", "1", "--spec-out"},
            "found.json");
        add("partition --spec-out", {"partition", m_spec, "--hardware", hardware, "--spec-out"}, "even.json");
        add("import-spec --out", {"import-spec", "megatron", m_arguments, "--base", m_spec, "--out"},
            "ported.json");
        add("export-spec --out", {"export-spec", "megatron", m_spec, "--out"}, "arguments.sh");
        add("convert --out", {"convert", m_cli.dataset(), "--format", "mds", "--out"}, "mds");
    }

    /// Mounts are seen by this test and its programs alone.
    static bool mayMount()
    {
        static const bool may =
            ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
        return may;
    }

    static QString result(const CliResult& result)
    {
        const QString why = lastLine(result.err);
        return why.isEmpty() ? QString("%1, silent").arg(result.status)
                             : QString("%1: %2").arg(result.status).arg(why.right(160));
    }

    CliFixture m_cli;
    ConditionTable m_output{"Output"};
    ConditionTable m_files{"Files"};
    FileDescriptor m_fullDevice, m_deserted, m_lines;
    QString m_run, m_other, m_spec, m_csv, m_arguments;
};

QTEST_GUILESS_MAIN(TestLostOutput)
#include "tst_lost_output.moc"
