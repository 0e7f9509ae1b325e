#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

namespace {

const QString kKit = TRAINYARD_SOURCE_DIR "/tests/gpu/kit";
const QString kPeers = TRAINYARD_SOURCE_DIR "/tests/bench/peers";
const QString kMaker = TRAINYARD_SOURCE_DIR "/packaging/gpu-kit";
const QString kCheck = TRAINYARD_BUILD_DIR "/tests/trainyard-gpu-check";

struct Answer {
    int status = -1;
    QString text; ///< both outputs
};

Answer answerOf(const QString& program, const QStringList& arguments, const QStringList& environment = {})
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
    for (const QString& variable : environment)
        variables.insert(variable.section('=', 0, 0), variable.section('=', 1));
    process.setProcessEnvironment(variables);
    process.start(program, arguments);
    if (!process.waitForFinished(280'000))
        process.kill();
    process.waitForFinished();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAll())};
}

void write(const QString& path, const QByteArray& content, bool isProgram = false)
{
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
    if (isProgram)
        file.setPermissions(file.permissions() | QFile::ExeOwner);
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What the programs of the kit print and write, as far as gpu-day looks.
const QByteArray kFakeRun = R"(#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
if "--list" in words:
    print("way float64, adamw\nlayout tp2 2")
if "--json" in words:
    figures = [{"name": "kernels, lamb", "outcome": "pass", "error": 1e-6, "bound": 1e-5, "text": ""},
               {"name": "kernels, masks", "outcome": "fail", "error": 1, "bound": 0, "text": "wrong bits"}]
    if "bench_training" in words:
        value = lambda name: words[words.index(name) + 1]
        figures = {"program": "trainyard", "model": value("--model"), "compute": "bfloat16", "zero_stage": 0,
                   "recompute": "none", "optimizer": "adamw", "length": int(value("--length")), "micro": int(value("--micro")),
                   "dropout": float(value("--dropout")), "step_seconds": 0.1, "fastest_seconds": 0.09,
                   "sequences_per_second": 1500.0, "tokens_per_second": 192000.0, "tflops": 361.0, "mfu": 0.365,
                   "memory": {"tensors": 1 << 30, "planned": 1 << 30, "allocated": 1 << 30, "reserved": 1 << 31}}
    json.dump(figures, open(words[words.index("--json") + 1], "w"))
)";

const QByteArray kFakePeer = R"(import json, sys
value = lambda name: sys.argv[sys.argv.index(name) + 1]
json.dump({"program": "PyTorch " + value("--mode"), "model": value("--model"), "length": int(value("--length")),
           "micro": int(value("--micro")), "dropout": float(value("--dropout")), "step_seconds": 0.2, "fastest_seconds": 0.2,
           "sequences_per_second": 1000.0, "tokens_per_second": 128000.0, "tflops": 240.0, "mfu": 0.24},
          open(value("--json"), "w"))
)";

} // namespace

/// The kit for GPU machines, as far as it can be tried without one.
class TestGpuKit : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("CUDA_VISIBLE_DEVICES", "");
    }

    void scriptsParse_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("shell");
        QTest::addRow("packaging/gpu-kit") << kMaker << "bash";
        for (const char* name : {"run", "use-torch"})
            QTest::addRow("%s", name) << kKit + '/' + name << "sh";
        QTest::addRow("gpu-day") << kKit + "/gpu-day"
                                 << "python";
        for (const QString& folder : {kKit, kPeers}) {
            for (const QString& name : QDir(folder).entryList({"*.py"}))
                QTest::addRow("%s", qPrintable(name)) << folder + '/' + name << "python";
        }
    }
    void scriptsParse()
    {
        QFETCH(QString, file);
        QFETCH(QString, shell);
        const Answer answer =
            shell == "python"
                ? answerOf("python3", {"-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", file})
                : answerOf(shell, {"-n", file});
        QVERIFY2(answer.status == 0, qUtf8Printable(answer.text));
    }

    void refusesBadArguments_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addRow("no folder") << kMaker << QStringList() << 2;
        QTest::addRow("two folders") << kMaker << QStringList{"a", "b"} << 2;
        QTest::addRow("a file as folder") << kMaker << QStringList{kMaker} << 2;
        QTest::addRow("unknown option") << kMaker << QStringList{"--fast", "a"} << 2;
        QTest::addRow("no number of jobs") << kMaker << QStringList{"--jobs", "many", "a"} << 2;
        QTest::addRow("day without a part") << kKit + "/gpu-day" << QStringList() << 101;
        QTest::addRow("day with an unknown part") << kKit + "/gpu-day" << QStringList{"5"} << 101;
        QTest::addRow("day with a peak that is no number")
            << kKit + "/gpu-day" << QStringList{"1", "--peak-tflops", "high"} << 101;
        QTest::addRow("run without a program") << kKit + "/run" << QStringList() << 101;
        QTest::addRow("check without a subcommand") << kCheck << QStringList() << 101;
        QTest::addRow("check of something unknown") << kCheck << QStringList{"everything"} << 101;
    }
    void refusesBadArguments()
    {
        QFETCH(QString, program);
        QFETCH(QStringList, arguments);
        const Answer answer = answerOf(program, arguments);
        QVERIFY2(!answer.text.isEmpty(), "without a word");
        QTEST(answer.status, "status");
    }

    /// Without the toolkit that this machine may have.
    void saysThatThereIsNoToolkit()
    {
        if (::geteuid() != 0)
            QSKIP("hiding /usr/local/cuda needs root");
        const QString out = m_folder->filePath("out");
        const Answer answer = answerOf("unshare",
                                       {"--mount", "--propagation", "private", "sh", "-c",
                                        "mount -t tmpfs none /usr/local && exec \"$0\" \"$1\"", kMaker, out},
                                       {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"});
        QCOMPARE(answer.status, 3);
        QVERIFY2(answer.text.contains("no CUDA toolkit"), qUtf8Printable(answer.text));
        QVERIFY(!QFileInfo::exists(out));
    }

    void theCheckSaysThatThereIsNoDevice_data()
    {
        QTest::addColumn<QString>("command");
        for (const char* command :
             {"open", "kernels", "collectives", "training", "memory", "sanitizers", "faults"})
            QTest::addRow("%s", command) << command;
    }
    void theCheckSaysThatThereIsNoDevice()
    {
        QFETCH(QString, command);
        const Answer answer = answerOf(kCheck, {command});
        QVERIFY2(answer.text.contains("no CUDA device"), qUtf8Printable(answer.text));
        QCOMPARE(answer.status, 102);
    }

    void theChecksPassOnAnEmulatedDevice_data()
    {
        QTest::addColumn<QString>("command");
        for (const char* command : {"open", "kernels", "collectives", "training"})
            QTest::addRow("%s", command) << command;
    }
    void theChecksPassOnAnEmulatedDevice()
    {
        QFETCH(QString, command);
        const QString json = m_folder->filePath("checks.json");
        QStringList arguments{"--emulated", "--json", json, command};
        if (command == "kernels")
            arguments << "--small";
        const Answer answer = answerOf(kCheck, arguments);
        QVERIFY2(answer.status == 0, qUtf8Printable(answer.text));
        const QJsonArray lines = QJsonDocument::fromJson(contentOf(json)).array();
        QVERIFY(!lines.isEmpty());
        for (const auto& line : lines)
            QVERIFY(answer.text.contains(line.toObject()["name"].toString()));
    }

    void countsWhatFails()
    {
        const Answer answer = answerOf(kCheck, {"--emulated", "training", "--way", "backwards"});
        QVERIFY2(answer.text.contains("FAIL!"), qUtf8Printable(answer.text));
        QCOMPARE(answer.status, 1);
    }

    void takesNoOtherPyTorch_data()
    {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QString>("says");
        QTest::addRow("older") << QByteArray("__version__ = '2.10.0+cu130'\ncuda: Optional[str] = '13.0'\n")
                               << "PyTorch 2.10.0+cu130; the kit needs 2.11";
        QTest::addRow("for CUDA 12") << QByteArray(
                                            "__version__ = '2.11.0+cu128'\ncuda: Optional[str] = '12.8'\n")
                                     << "for CUDA 12.8; the kit needs one for CUDA 13";
        QTest::addRow("fitting") << QByteArray("__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\n")
                                 << "";
    }
    void takesNoOtherPyTorch()
    {
        QFETCH(QByteArray, version);
        QFETCH(QString, says);
        copyKit();
        const QString packages = m_folder->filePath("site-packages");
        for (const char* name :
             {"torch/lib/libtorch_cpu.so", "torch/lib/libtorch_cuda.so", "nvidia/cu13/lib/libcudart.so.13"})
            write(packages + '/' + name, {});
        write(packages + "/torch/version.py", version);
        const Answer answer = answerOf(kit("use-torch"), {packages + "/torch/lib"});
        QCOMPARE(answer.status, says.isEmpty() ? 0 : 1);
        QVERIFY2(answer.text.contains(says), qUtf8Printable(answer.text));
        QCOMPARE(QFileInfo::exists(kit("torch/lib/libtorch_cpu.so")), says.isEmpty());
        QCOMPARE(QFileInfo::exists(kit("nvidia/cu13/lib/libcudart.so.13")), says.isEmpty());
    }

    void aDayNeedsPyTorch()
    {
        copyKit();
        const Answer answer = answerOf(kit("gpu-day"), {"1", "--torch", m_folder->filePath("none")});
        QCOMPARE(answer.status, 127);
    }

    void aDayWritesOneTableAndOneObject()
    {
        copyKit();
        write(kit("run"), kFakeRun, true);
        for (const char* script : {"peers/bert_gpu.py", "peers/gpt_gpu.py"})
            write(kit(script), kFakePeer);
        write(kit("torch/lib/here"), {});
        const QString out = m_folder->filePath("out");
        const Answer answer = answerOf(kit("gpu-day"), {"3", "--out", out, "--peak-tflops", "989"});
        QVERIFY2(answer.status == 0, qUtf8Printable(answer.text));
        const QString table = contentOf(out + "/part-3.md");
        QVERIFY2(table.contains("| bert-large, 128 tokens, micro 128, dropout 0.1 | 1500.0 | 1000.0 | 1000.0 "
                                "| 1000.0 | 1.50 |"),
                 qUtf8Printable(table));
        QVERIFY2(table.contains("36.5 %"), qUtf8Printable(table));
        const QJsonObject all = QJsonDocument::fromJson(contentOf(out + "/part-3.json")).object();
        QCOMPARE(all["part"].toInt(), 3);
        QVERIFY(all["lines"].toArray().size() > 20);
    }

    void aDayTellsWhichChecksFailed()
    {
        copyKit();
        write(kit("run"), kFakeRun, true);
        write(kit("torch/lib/here"), {});
        const QString out = m_folder->filePath("out");
        answerOf(kit("gpu-day"), {"2", "--out", out});
        const QString table = contentOf(out + "/part-2.md");
        QVERIFY2(table.contains("kernels, masks: wrong bits"), qUtf8Printable(table));
        QVERIFY2(table.contains("kernels, lamb: 1.0e-06 of 1e-05"), qUtf8Printable(table));
    }

    /// A line that hangs costs its own limit, with all that it started; the next one runs.
    void aLineThatHangsIsEnded()
    {
        const QString program = R"(
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from day_runner import Line, run_part
lines = [Line("hangs", ["sh", "-c", "sleep 1000 & echo $! > %s/pid; wait" % sys.argv[2]], 0.5),
         Line("works", ["true"], 30),
         Line("is missing", ["no-such-program"], 30, may_skip=("missing",)),
         Line("fails", ["sh", "-c", "echo why; exit 7"], 30)]
for result in run_part(lines, 3600, sys.argv[2], lambda text: None):
    print(result["name"], result["outcome"], result["status"], result["text"][-1:])
)";
        const Answer answer = answerOf("python3", {"-c", program, kKit, m_folder->path()});
        QVERIFY2(answer.text.contains("hangs timed out"), qUtf8Printable(answer.text));
        QVERIFY2(answer.text.contains("works ok 0"), qUtf8Printable(answer.text));
        QVERIFY2(answer.text.contains("is missing skipped"), qUtf8Printable(answer.text));
        QVERIFY2(answer.text.contains("fails failed 7 ['why']"), qUtf8Printable(answer.text));
        const QString process = contentOf(m_folder->filePath("pid")).trimmed();
        QVERIFY(!process.isEmpty());
        QVERIFY(!contentOf("/proc/" + process + "/cmdline").startsWith("sleep"));
    }

private:
    void copyKit()
    {
        for (const QString& name : QDir(kKit).entryList(QDir::Files)) {
            write(kit(name), contentOf(kKit + '/' + name), QFileInfo(kKit + '/' + name).isExecutable());
        }
    }
    QString kit(const QString& name) const { return m_folder->filePath("kit/" + name); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestGpuKit)
#include "tst_gpu_kit.moc"
