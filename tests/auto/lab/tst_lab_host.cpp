#include <memory>
#include <vector>

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/lab/lab_pids.h"
#include "tests/support/lab/netns_lab.h"

using namespace trainyard;

/// Hosts of the lab behave as machines do.
class TestLabHost : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
    }

    void aRebootEndsEveryProcessAndKeepsTheDisk()
    {
        const auto lab = makeLab({});
        lab::LabHost& host = lab->host(0);
        const QByteArray bootId = output(host, {"cat", "/proc/sys/kernel/random/boot_id"});
        QCOMPARE(bootId.trimmed().size(), 36);
        QVERIFY(host.run({"sh", "-c", "echo kept > /root/kept; echo gone > /tmp/gone; setsid sleep 1000 &"})
                    .ok());
        AWAIT(pidOf(host, "sleep 1000") > 0);
        const qint64 sleeper = pidOf(host, "sleep 1000");
        QCOMPARE(host.reboot(), QString());
        QVERIFY(!QFile::exists(QString("/proc/%1").arg(sleeper)));
        QCOMPARE(pidOf(host, "sleep 1000"), 0);
        QCOMPARE(output(host, {"cat", "/root/kept"}), QByteArray("kept\n"));
        QVERIFY(!host.run({"test", "-e", "/tmp/gone"}).ok());
        const QByteArray after = output(host, {"cat", "/proc/sys/kernel/random/boot_id"});
        QVERIFY(after.trimmed().size() == 36 && after != bootId);
        QCOMPARE(reach(*lab, 0), QByteArray("node1\n")); // with the same host key
    }

    void aHostThatIsOffDoesNotAnswer()
    {
        const auto lab = makeLab({});
        lab->host(0).powerOff();
        QVERIFY(!ssh(*lab, 0, "true").ok());
        QCOMPARE(lab->host(0).powerOn(), QString());
        QCOMPARE(reach(*lab, 0), QByteArray("node1\n"));
    }

    void aSystemThatDeniesTracingDoesSoToAll()
    {
        lab::NetnsLab::Options options;
        options.systems = {{.deniesTracing = true}};
        const auto lab = makeLab(options);
        constexpr const char* kTrace = "import ctypes; libc = ctypes.CDLL(None, use_errno=True); "
                                       "print(libc.ptrace(0, 0, 0, 0), ctypes.get_errno())"; // PTRACE_TRACEME
        const auto inside = ssh(*lab, 0, QString("python3 -c '%1'").arg(kTrace));
        QCOMPARE(inside.output, QByteArray("-1 1\n")); // EPERM
        QCOMPARE(lab::runCommand({"python3", "-c", kTrace}).output, QByteArray("0 0\n"));
    }

    void aHomeOfItsOwnHasItsOwnSize()
    {
        lab::NetnsLab::Options options;
        options.systems = {{.homeSize = "4m"}};
        const auto lab = makeLab(options);
        QVERIFY(!ssh(*lab, 0, "head -c 5000000 /dev/zero > /root/many").ok());
        QCOMPARE(lab->host(0).remountDisk("/root", "size=8m"), QString());
        QVERIFY(ssh(*lab, 0, "head -c 5000000 /dev/zero > /root/many").ok());
    }

    void aSlowHomeIsSlow()
    {
        if (const QString why = lab::whyNoSlowDisk(); !why.isEmpty())
            QSKIP(qPrintable(why));
        constexpr double kRate = 20e6;
        lab::NetnsLab::Options options;
        options.systems = {{.homeSize = "64m", .homeRate = qint64(kRate)}};
        const auto lab = makeLab(options);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(ssh(*lab, 0, "dd if=/dev/zero of=/root/many bs=1M count=20 conv=fsync").ok());
        QVERIFY(double(timer.elapsed()) / 1e3 > 0.8 * 20 * 1024 * 1024 / kRate);
        QCOMPARE(lab->host(0).reboot(), QString());
        QVERIFY(ssh(*lab, 0, "test -s /root/many").ok());
    }

    void disksAreOnesOwn()
    {
        lab::NetnsLab::Options options;
        options.hosts = 2;
        const auto lab = makeLab(options);
        QVERIFY(lab->host(0).run({"touch", "/root/mine", "/tmp/mine", "/var/tmp/mine"}).ok());
        QVERIFY(!lab->host(1).run({"ls", "/root/mine"}).ok());
        QVERIFY(!lab->host(1).run({"ls", "/tmp/mine"}).ok());
        QVERIFY(!lab->host(1).run({"ls", "/var/tmp/mine"}).ok());
        QVERIFY(!QFile::exists("/var/tmp/mine"));
        QVERIFY(output(lab->host(0), {"cat", "/proc/sys/kernel/random/boot_id"}) !=
                output(lab->host(1), {"cat", "/proc/sys/kernel/random/boot_id"}));
    }

    /// Or a clone below /tmp could not be tested.
    void theBuildIsSeenWhateverTheHostHides()
    {
        const auto lab = makeLab({});
        const QString agent = TRAINYARD_BIN_DIR "/trainyard-agent";
        QVERIFY(lab->host(0).run({"test", "-x", agent}).ok());
        QVERIFY(lab->host(0).run({lab::seenInHosts(agent), "--help"}).ok());
    }

    void foldersBelowHiddenOnesAreSeenReadOnly()
    {
        std::vector<std::unique_ptr<QTemporaryDir>> folders;
        lab::NetnsLab::Options options;
        for (const char* below : {"/tmp", "/var/tmp", "/root", "/run", "/dev/shm", "/mnt"}) {
            auto folder = std::make_unique<QTemporaryDir>(below + QString("/a tree's $XXXXXX"));
            if (!folder->isValid())
                continue; // this machine has no such folder, or may not write to it
            QVERIFY(QFile(folder->filePath("file")).open(QIODevice::WriteOnly));
            options.trees << folder->path();
            folders.push_back(std::move(folder));
        }
        QVERIFY(folders.size() >= 3);
        const auto lab = makeLab(options);
        lab::LabHost& host = lab->host(0);
        for (const auto& folder : folders)
            expectReadOnly(host, *folder);
        QCOMPARE(host.reboot(), QString());
        for (const auto& folder : folders)
            QVERIFY(host.run({"test", "-f", folder->filePath("file")}).ok());
    }

    void aSharedFolderIsSeenByAll_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addRow("home") << "/root";
        QTest::addRow("below the home") << "/root/shared";
        QTest::addRow("elsewhere") << "/srv";
    }
    void aSharedFolderIsSeenByAll()
    {
        QFETCH(QString, folder);
        lab::NetnsLab::Options options;
        options.hosts = 2;
        options.sharedFolder = folder;
        const auto lab = makeLab(options);
        QVERIFY(lab->host(0).run({"sh", "-c", "echo ours > " + folder + "/ours"}).ok());
        QCOMPARE(output(lab->host(1), {"cat", folder + "/ours"}), QByteArray("ours\n"));
        QCOMPARE(lab->host(0).reboot(), QString());
        QCOMPARE(output(lab->host(0), {"cat", folder + "/ours"}), QByteArray("ours\n"));
        QCOMPARE(reach(*lab, 0), QByteArray("node1\n"));
        QCOMPARE(reach(*lab, 1), QByteArray("node2\n"));
    }

    void mountedDisksAreSeenBySshAndHaveTheirLimits()
    {
        const auto lab = makeLab({});
        lab::LabHost& host = lab->host(0);
        QCOMPARE(host.mountDisk("/root/small", "size=1m"), QString());
        QVERIFY(reachWith(*lab, 0, "head -c 4000000 /dev/zero > /root/small/f").contains("No space left"));
        QCOMPARE(host.mountDisk("/root/few", "size=1m,nr_inodes=5"), QString());
        QVERIFY(reachWith(*lab, 0, "touch /root/few/1 /root/few/2 /root/few/3 /root/few/4 /root/few/5")
                    .contains("No space left"));
        QCOMPARE(host.mountDisk("/root/fixed", "size=1m,ro"), QString());
        QVERIFY(reachWith(*lab, 0, "touch /root/fixed/f").contains("Read-only"));
        QCOMPARE(host.mountDisk("/root/data", "size=1m,noexec"), QString());
        QVERIFY(reachWith(*lab, 0, "cp /bin/true /root/data; /root/data/true").contains("Permission denied"));
        QCOMPARE(host.remountDisk("/root/fixed", "rw"), QString());
        QVERIFY(host.run({"touch", "/root/fixed/f"}).ok());
        QCOMPARE(host.unmountDisk("/root/fixed"), QString());
        QVERIFY(!host.run({"ls", "/root/fixed/f"}).ok());
    }

    void sixtyFourHostsStart()
    {
        lab::NetnsLab::Options options;
        options.hosts = 64;
        options.diskSize = "16m";
        QElapsedTimer timer;
        timer.start();
        const auto lab = makeLab(options);
        qInfo() << "64 hosts in" << timer.elapsed() << "ms";
        QCOMPARE(reach(*lab, 63), QByteArray("node64\n"));
    }

private:
    static void expectReadOnly(lab::LabHost& host, const QTemporaryDir& folder)
    {
        const QFileInfo seen(folder.path());
        QVERIFY2(host.run({"test", "-f", folder.filePath("file")}).ok(), qPrintable(folder.path()));
        QVERIFY2(!host.run({"rm", "-f", folder.filePath("file")}).ok(), qPrintable(folder.path()));
        QVERIFY2(!host.filesIn(seen.path()).contains(seen.fileName()), qPrintable(folder.path()));
    }

    static std::unique_ptr<lab::NetnsLab> makeLab(const lab::NetnsLab::Options& options)
    {
        auto lab = std::make_unique<lab::NetnsLab>(options);
        const QString trouble = lab->start();
        [&] { QVERIFY2(trouble.isEmpty(), qPrintable(trouble)); }();
        lab->trustHosts();
        return lab;
    }

    static QByteArray output(const lab::LabHost& host, const QStringList& command)
    {
        return host.run(command).output;
    }

    /// The pid, as this machine counts, of the process with this command line; 0 = there is none.
    static qint64 pidOf(const lab::LabHost& host, const QByteArray& commandLine)
    {
        for (const lab::LabProcess& process : lab::processTree(host.pid())) {
            if (process.commandLine == commandLine)
                return process.pid;
        }
        return 0;
    }

    static lab::Finished ssh(const lab::NetnsLab& lab, int host, const QString& command)
    {
        return lab::runCommand({"ssh", "-F", "none", "-i", lab.clientKey(), "-o",
                                "UserKnownHostsFile=" + lab.knownHosts(), "-o", "StrictHostKeyChecking=yes",
                                "-o", "BatchMode=yes",
                                "root@" + const_cast<lab::NetnsLab&>(lab).host(host).address(), command});
    }
    static QByteArray reach(const lab::NetnsLab& lab, int host) { return ssh(lab, host, "hostname").output; }
    static QByteArray reachWith(const lab::NetnsLab& lab, int host, const QString& command)
    {
        return ssh(lab, host, command).errors;
    }
};

QTEST_GUILESS_MAIN(TestLabHost)
#include "tst_lab_host.moc"
