#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

namespace {

constexpr int kSkipped = 77; ///< of make-system: something that it needs is missing
constexpr int kHour = 3'600'000;
constexpr qint64 kMaxBytes = 30LL << 20;

const QString kRoots = TRAINYARD_BUILD_DIR "/systems";
const QString kRoot = kRoots + "/bullseye"; // the oldest system here, which has Python
const QString kInstalled = "/usr/lib/python3/dist-packages";

struct Answer {
    int status = -1;
    QString text; ///< both outputs
};

Answer answerOf(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(kHour))
        process.kill();
    process.waitForFinished();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAll())};
}

} // namespace

/// The kit in the root file system of a bare Debian 11, which has neither MPI nor Qt nor a network and an
/// older C library, with the PyTorch of packaging/setup where its Python finds it: all that can be tried
/// without a GPU.
class TestGpuKitInBareRoot : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (::geteuid() != 0)
            QSKIP("changing the root folder needs root");
        const Answer root = answerOf(TRAINYARD_SOURCE_DIR "/tests/support/systems/make-system",
                                     {QFileInfo(kRoot).fileName(), kRoots});
        if (root.status == kSkipped)
            QSKIP(qUtf8Printable(root.text.simplified()));
        QVERIFY2(root.status == 0, qUtf8Printable(root.text));
        const QString out = m_folder.filePath("out");
        const Answer made = answerOf(TRAINYARD_SOURCE_DIR "/packaging/gpu-kit", {out});
        if (made.status == 3)
            QSKIP(qUtf8Printable(made.text.simplified()));
        QVERIFY2(made.status == 0, qUtf8Printable(made.text));
        QCOMPARE(QDir(out).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{"trainyard-gpu-kit.tar.zst"});
        const QString archive = out + "/trainyard-gpu-kit.tar.zst";
        QVERIFY(QFileInfo(archive).size() <= kMaxBytes);
        const Answer unpacked = answerOf("tar", {"-C", m_folder.path(), "--zstd", "-xf", archive});
        QVERIFY2(unpacked.status == 0, qUtf8Printable(unpacked.text));
    }

    void aDayFindsPyTorchAndNoDevice()
    {
        const Answer answer = inRoot({"/mnt/gpu-day", "1"});
        QVERIFY2(answer.text.contains("PyTorch 2.11."), qUtf8Printable(answer.text));
        QVERIFY2(answer.text.contains("no CUDA device"), qUtf8Printable(answer.text));
        QCOMPARE(answer.status, 102);
    }

    void checksRunOnAnEmulatedDevice()
    {
        for (const char* command : {"open", "training"}) {
            const Answer answer = inRoot({"/mnt/run", "trainyard-gpu-check", "--emulated", command});
            QVERIFY2(answer.status == 0, qUtf8Printable(answer.text));
        }
    }

    void theKitsMpiStartsRanks()
    {
        const Answer answer = inRoot({"/mnt/run", "mpirun", "--allow-run-as-root", "--oversubscribe",
                                      "--bind-to", "none", "-np", "2", "/mnt/bin/trainyard-agent", "exec",
                                      "trainyard-gpu-check", "--emulated", "training", "--layout", "tp2"});
        QVERIFY2(answer.status == 0 && answer.text.contains("tp2, losses"), qUtf8Printable(answer.text));
    }

    void theBenchmarkRuns()
    {
        const Answer answer = inRoot({"/mnt/run", "bench_training", "--model", "a", "--steps", "4", "--skip",
                                      "1", "--micro", "2", "--no-checkpoint", "--json", "/tmp/figures.json"});
        QVERIFY2(answer.status == 0 && answer.text.contains("sequences/s"), qUtf8Printable(answer.text));
    }

private:
    /// With the kit at /mnt and no other network than its own loopback.
    Answer inRoot(const QStringList& command) const
    {
        static const QString script = R"(set -e
mount -t proc proc "$root/proc"
mount -t tmpfs -o size=2g tmpfs "$root/tmp"
mount -t tmpfs -o size=512m tmpfs "$root/dev"
mkdir -p "$root/dev/shm"
for name in null zero urandom; do : > "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mkdir -p "$root$installed"
mount -t tmpfs tmpfs "$root$installed"
mkdir -p "$root$installed/torch" "$root$installed/nvidia/cu13/lib"
mount --bind "$deps/torch" "$root$installed/torch"
cp -L "$deps"/cuda/lib/*.so* "$root$installed/nvidia/cu13/lib/"
mount --bind "$kit" "$root/mnt"
ip link set lo up
cd /
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp chroot "$root" "$@"
)";
        return answerOf("env",
                        QStringList{"root=" + kRoot, "installed=" + kInstalled, "deps=" TRAINYARD_DEPS,
                                    "kit=" + m_folder.filePath("trainyard-gpu-kit"), "unshare", "--mount",
                                    "--net", "--propagation", "private", "sh", "-c", script, "sh"} +
                            command);
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestGpuKitInBareRoot)
#include "tst_gpu_kit_in_bare_root.moc"
