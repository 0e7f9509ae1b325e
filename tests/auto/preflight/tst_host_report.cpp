#include <QJsonArray>
#include <QTest>

#include "remote/preflight/engine_needs.h"
#include "remote/preflight/host_report.h"

using namespace trainyard;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr double kMiB = 1024.0 * 1024;

QJsonObject device(const QString& driver = "580.65.06", const QString& compute = "9.0")
{
    return {{"name", "H200"},   {"memory_total", 140 * kGiB}, {"memory_used", 1 * kMiB}, {"utilisation", 0.0},
            {"driver", driver}, {"compute", compute},         {"ecc_errors", 0},         {"mig", false}};
}

QJsonObject disk()
{
    return {{"path", "/home/a/.trainyard"}, {"filesystem", "ext4"}, {"total", 900 * kGiB},
            {"free", 500 * kGiB},           {"writable", true},     {"noexec", false},
            {"inodes_total", 2e7},          {"inodes_free", 1e7},   {"quota", QJsonValue()}};
}

QJsonObject home()
{
    QJsonObject home = disk();
    home.insert("path", "/home/a");
    return home;
}

QJsonObject goodProbe()
{
    return {
        {"host", "node1"},
        {"os", "Debian GNU/Linux 12"},
        {"arch", "x86_64"},
        {"glibc", "2.36"},
        {"libraries",
         QJsonObject{{"libc.so.6", QJsonObject{{"path", "/lib/libc.so.6"}, {"lacks", QJsonArray()}}},
                     {"libmpi.so.40", QJsonObject{{"path", "/lib/libmpi.so.40"}, {"lacks", QJsonArray()}}},
                     {"libcuda.so.1", QJsonObject{{"path", "/lib/libcuda.so.1"}, {"lacks", QJsonArray()}}}}},
        {"cpu",
         QJsonObject{{"model", "Xeon"},
                     {"cores", 64},
                     {"flags", QJsonArray{"avx2", "fma"}},
                     {"narrow_products", QJsonObject{{"bfloat16", "widened"}, {"float16", "portable"}}}}},
        {"memory", QJsonObject{{"total", 256 * kGiB}, {"available", 200 * kGiB}}},
        {"shm", QJsonObject{{"total", 64 * kGiB}, {"free", 64 * kGiB}}},
        {"disk", disk()},
        {"home", home()},
        {"limits", QJsonObject{{"nofile", 1048576}, {"processes", 100000}, {"tasks", -1}, {"memlock", -1}}},
        {"devices", QJsonArray{device()}},
        {"mpi", QJsonObject{{"path", "/usr/bin/mpirun"}, {"version", "4.1.4"}}},
        {"slurm", QJsonValue()},
        {"interfaces", QJsonArray{QJsonObject{{"name", "eth0"}}}},
        {"shell", QJsonObject{{"path", "/bin/bash"}, {"noise", 0}, {"ms", 90}}},
        {"selinux", ""}};
}

/// The probe with the value under "a" or "a.b".
QJsonObject changed(const QString& key, const QJsonValue& value)
{
    QJsonObject probe = goodProbe();
    if (const auto at = key.indexOf('/'); at > 0) {
        QJsonObject inner = probe.value(key.left(at)).toObject();
        inner.insert(key.mid(at + 1), value);
        probe.insert(key.left(at), inner);
    } else {
        probe.insert(key, value);
    }
    return probe;
}

EngineNeeds engine()
{
    EngineNeeds needs;
    needs.bundle = QString(64, 'a');
    needs.architecture = "x86_64";
    needs.libraries = {{"libc.so.6", {"GLIBC_2.34"}}, {"libmpi.so.40", {}}};
    needs.cudaLibraries = {{"libcuda.so.1", {}}};
    needs.cuda = 13;
    return needs;
}

HostReport judge(const QJsonObject& probe, ClockReading clock = {0.4, 2}, const EngineNeeds& needs = engine())
{
    LinkFacts link;
    link.agent.version = "0.1.0";
    link.agent.root = "/home/a/.trainyard";
    link.clock = clock;
    link.uploadBytesPerSecond = 1e8;
    return evaluateHost(readFacts("gpu-03", probe, link), needs);
}

QJsonObject lacking(const QJsonValue& path, const QJsonArray& lacks)
{
    return {{"path", path}, {"lacks", lacks}};
}

} // namespace

class TestHostReport : public QObject {
    Q_OBJECT

private slots:
    void acceptsAGoodHost()
    {
        const HostReport report = judge(goodProbe());
        for (const CheckRow& row : report.rows) {
            QVERIFY2(row.verdict == Verdict::Ok, qPrintable(row.check + ": " + row.found));
            QVERIFY(row.fix.isEmpty());
        }
        QCOMPARE(report.facts.devices.size(), 1);
        QCOMPARE(report.facts.cores, 64);
    }

    void findsWhatIsWrongAndSaysTheFix_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<QString>("check");
        QTest::addColumn<int>("verdict");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* key, const QJsonValue& value, const char* check,
                            Verdict verdict, const char* says) {
            QTest::addRow("%s", name) << key << value << check << static_cast<int>(verdict) << says;
        };
        const auto changedDevice = [](const char* key, const QJsonValue& value) {
            QJsonObject changed = device();
            changed.insert(key, value);
            return QJsonArray{changed};
        };
        row("other processor", "arch", "aarch64", "system", Verdict::Fail, "built for x86_64");
        row("old C library", "libraries/libc.so.6", lacking("/lib/libc.so.6", {"GLIBC_2.34"}), "libraries",
            Verdict::Fail, "needs glibc 2.34");
        row("no MPI library", "libraries/libmpi.so.40", lacking({}, {}), "libraries", Verdict::Fail,
            "install OpenMPI");
        row("no driver library", "libraries/libcuda.so.1", lacking({}, {}), "libraries", Verdict::Fail,
            "libcuda.so.1");
        row("no AVX2", "cpu/flags", QJsonArray{"fma"}, "processor", Verdict::Warn, "AVX2");
        row("little memory", "memory", QJsonObject{{"total", 1e9}}, "memory", Verdict::Warn, "very small");
        row("memory taken", "memory/available", 1e8, "memory", Verdict::Warn, "other processes");
        row("small /dev/shm", "shm", QJsonObject{{"total", 1e6}, {"free", 1e6}}, "shared memory",
            Verdict::Warn, "/dev/shm");
        row("full /dev/shm", "shm/free", 1e6, "shared memory", Verdict::Warn, "remove leftover files");
        row("broken driver", "devices_error", "driver and library do not fit", "devices", Verdict::Warn,
            "repair");
        row("old driver", "devices", QJsonArray{device("535.104.05")}, "driver", Verdict::Fail, "580.65.06");
        row("old device", "devices", QJsonArray{device("580.65.06", "6.1")}, "driver", Verdict::Fail, "7.5");
        row("worn-out memory", "devices", changedDevice("ecc_errors", 3), "device state", Verdict::Fail,
            "replace a device");
        row("device in use", "devices", changedDevice("memory_used", 70 * kGiB), "device state",
            Verdict::Warn, "other processes use");
        row("device busy", "devices", changedDevice("utilisation", 0.97), "device state", Verdict::Warn,
            "other processes use");
        row("device of somebody", "devices",
            changedDevice("processes", QJsonArray{QJsonObject{{"pid", 4711},
                                                              {"user", "anna"},
                                                              {"program", "python"},
                                                              {"memory", qint64(31.2 * kGiB)}}}),
            "device state", Verdict::Warn, "gpu 0 is used by anna (python, 31.2 GiB)");
        row("device of an own run", "devices",
            changedDevice("processes",
                          QJsonArray{QJsonObject{{"pid", 4711}, {"user", "me"}, {"run", "r-1"}}}),
            "device state", Verdict::Warn, "gpu 0 is used by your run r-1");
        row("cores of somebody", "occupants",
            QJsonArray{QJsonObject{{"user", "anna"}, {"cores", 40.5}, {"memory", 3 * kGiB}}}, "other work",
            Verdict::Warn, "anna uses 40.5 cores and 3.00 GiB");
        row("little memory allowed", "limits/memory", 5e8, "memory limit", Verdict::Fail, "MemoryMax");
        row("few addresses", "limits/address_space", 16 * kGiB, "memory limit", Verdict::Warn, "ulimit -v");
        row("processes in use", "limits/processes_used", 99'900, "processes", Verdict::Fail,
            "100 of 100000 left");
        row("inodes of a quota", "disk/quota", QJsonObject{{"inodes_limit", 1000}, {"inodes_used", 900}},
            "inodes", Verdict::Fail, "100 free");
        row("cut device", "devices", changedDevice("mig", true), "devices", Verdict::Warn, "MIG");
        row("disk full", "disk/free", 1e7, "disk", Verdict::Fail, "TRAINYARD_HOME");
        row("disk nearly full", "disk/free", 1e9, "disk", Verdict::Warn, "TRAINYARD_HOME");
        row("quota used up", "disk/quota", QJsonObject{{"limit", 1e9}, {"used", 1e9}}, "disk", Verdict::Fail,
            "free some space");
        row("noexec disk", "disk/noexec", true, "disk", Verdict::Fail, "where programs may run");
        row("read-only disk", "disk/writable", false, "disk", Verdict::Fail, "TRAINYARD_HOME");
        row("few inodes", "disk/inodes_free", 5000, "inodes", Verdict::Warn, "small files");
        row("no inodes", "disk/inodes_free", 12, "inodes", Verdict::Fail, "small files");
        row("few files", "limits/nofile", 256, "open files", Verdict::Warn, "ulimit -n");
        row("no files", "limits/nofile", 32, "open files", Verdict::Fail, "ulimit -n");
        row("few processes", "limits/processes", 20, "processes", Verdict::Fail, "ulimit -u");
        row("no MPI", "mpi", QJsonValue(), "MPI", Verdict::Fail, "install OpenMPI");
        row("another MPI", "mpi", QJsonObject{{"path", "/opt/mpich/bin/mpirun"}, {"version", ""}}, "MPI",
            Verdict::Fail, "OpenMPI's folder");
        row("noisy shell", "shell/noise", 4000, "login shell", Verdict::Warn, "case $-");
        row("slow shell", "shell/ms", 5000, "login shell", Verdict::Warn, "case $-");
        row("logout kills", "logind",
            QJsonObject{{"kill_user_processes", true}, {"linger", false}, {"scope", true}}, "after logout",
            Verdict::Fail, "enable-linger");
        row("logout kills, no scope", "logind",
            QJsonObject{{"kill_user_processes", true}, {"linger", true}, {"scope", false}}, "after logout",
            Verdict::Fail, "KillUserProcesses=no");
    }
    void findsWhatIsWrongAndSaysTheFix()
    {
        QFETCH(QString, key);
        QFETCH(QJsonValue, value);
        QFETCH(QString, check);
        QFETCH(int, verdict);
        QFETCH(QString, says);
        const HostReport report = judge(changed(key, value));
        QCOMPARE(static_cast<int>(report.worst()), verdict);
        for (const CheckRow& row : report.rows) {
            QVERIFY2((row.verdict != Verdict::Ok) == (row.check == check),
                     qPrintable(row.check + ": " + row.found));
            QCOMPARE(row.fix.isEmpty(), row.check != check);
            if (row.check == check)
                QVERIFY2(row.fix.contains(says) || row.found.contains(says), qPrintable(row.fix));
        }
    }

    void anEngineWithItsOwnCLibraryAndMpiNeedsAKernel()
    {
        EngineNeeds needs = engine();
        needs.usesRuntime = true;
        needs.runtime = {"libc.so.6", "libmpi.so.40"};
        needs.kernel = "3.2.0";
        QJsonObject probe = changed("libraries/libc.so.6", lacking("/lib/libc.so.6", {"GLIBC_2.34"}));
        probe.insert("mpi", QJsonValue());
        probe.insert("glibc", ""); // musl
        probe.insert("kernel", "4.18.0-553.el8_10.x86_64");
        QCOMPARE(judge(probe, {0.4, 2}, needs).worst(), Verdict::Ok);
        QCOMPARE(judge(probe, {0.4, 2}, needs.withMpiOfHost()).worst(), Verdict::Fail);

        probe.insert("kernel", "2.6.32-754.el6.x86_64");
        const HostReport old = judge(probe, {0.4, 2}, needs);
        QCOMPARE(old.worst(), Verdict::Fail);
        const auto row = std::ranges::find(old.rows, QString("system"), &CheckRow::check);
        QVERIFY2(row->found.contains("Linux 2.6.32,") && row->fix.contains("Linux 3.2.0"),
                 qPrintable(row->fix));
    }

    void aLittleWorkOfOthersIsTold()
    {
        const HostReport report = judge(changed(
            "occupants", QJsonArray{QJsonObject{{"user", "anna"}, {"cores", 2.0}, {"memory", 3 * kGiB}},
                                    QJsonObject{{"user", "me"}, {"run", "r-1"}, {"cores", 1.0}}}));
        QCOMPARE(report.worst(), Verdict::Ok);
        const auto row = std::find_if(report.rows.begin(), report.rows.end(),
                                      [](const CheckRow& r) { return r.check == "other work"; });
        QVERIFY(row != report.rows.end());
        QCOMPARE(row->found, QString("anna uses 2.0 cores and 3.00 GiB; your run r-1 uses 1.0 cores"));
    }

    void limitsOfControlGroupsCountWhatIsTaken()
    {
        const QJsonObject limits{{"nofile", -1}, {"processes", -1}, {"tasks", 4000}, {"tasks_used", 3950}};
        QCOMPARE(judge(changed("limits", limits)).worst(), Verdict::Fail);
    }

    void infinibandNeedsLockedMemory()
    {
        QJsonObject probe = changed("limits/memlock", 65536);
        QCOMPARE(judge(probe).worst(), Verdict::Ok);
        probe.insert("interfaces", QJsonArray{QJsonObject{{"name", "ib0"}}});
        QCOMPARE(judge(probe).worst(), Verdict::Warn);
    }

    void aHomeThatCannotBeUsedIsToldWithTheFolderInstead()
    {
        LinkFacts link;
        link.agent.root = "/var/tmp/trainyard-1000";
        QJsonObject probe = changed("home/noexec", true);
        const HostReport report = evaluateHost(readFacts("gpu-03", probe, link), engine());
        const auto row = std::find_if(report.rows.begin(), report.rows.end(),
                                      [](const CheckRow& r) { return r.check == "home"; });
        QVERIFY(row != report.rows.end());
        QCOMPARE(row->verdict, Verdict::Warn);
        QVERIFY2(row->found.contains("/var/tmp/trainyard-1000"), qPrintable(row->found));
        QVERIFY(!row->fix.isEmpty());
    }

    void aLingeringUsersRunsGoOn()
    {
        const QJsonObject logind{{"kill_user_processes", true}, {"linger", true}, {"scope", true}};
        QCOMPARE(judge(changed("logind", logind)).worst(), Verdict::Ok);
    }

    void confinedLoginsAreToldUnderSelinux()
    {
        QJsonObject probe = changed("selinux", "enforcing");
        probe.insert("selinux_domain", "unconfined_u:unconfined_r:unconfined_t:s0");
        QCOMPARE(judge(probe).worst(), Verdict::Ok);
        probe.insert("selinux_domain", "staff_u:staff_r:staff_t:s0");
        QCOMPARE(judge(probe).worst(), Verdict::Warn);
    }

    void withoutACudaPartDevicesLieIdle()
    {
        EngineNeeds needs = engine();
        needs.cuda = 0;
        needs.cudaLibraries.clear();
        QCOMPARE(judge(goodProbe(), {0.4, 2}, needs).worst(), Verdict::Warn);
    }

    /// What is off by less than the ping can tell is not off.
    void warnsOfAClockThatIsSurelyOff()
    {
        QCOMPARE(judge(goodProbe(), {1, -5000}).worst(), Verdict::Warn);
        QCOMPARE(judge(goodProbe(), {400, 1100}).worst(), Verdict::Ok);
        QCOMPARE(judge(goodProbe(), {400, 1300}).worst(), Verdict::Warn);
    }

    void knowsHowTheProcessorMultiplies()
    {
        const ProcessorMath expected{NarrowProducts::Widened, NarrowProducts::Portable};
        QVERIFY(readFacts("a", goodProbe(), {}).math == expected);
        QVERIFY(!readFacts("a", changed("cpu/narrow_products", QJsonValue()), {}).math);
        QVERIFY(!readFacts("a", {}, {}).math);
    }

    void takesAnEmptyAnswer() { QCOMPARE(judge({}).worst(), Verdict::Fail); }

    void saysWhatStoodInTheWay()
    {
        const auto check = [](const Error& error) {
            return unreachableReport("a", error).rows.front().check;
        };
        QCOMPARE(check(unreachable("a: port 22 does not answer")), QString("connection"));
        QCOMPARE(check(refused("a: the host key changed")), QString("host key"));
        QCOMPARE(check(refused("a: no key opens it")), QString("login"));
    }
};

QTEST_APPLESS_MAIN(TestHostReport)
#include "tst_host_report.moc"
