#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/deploy/deployer.h"
#include "remote/launch/run_service.h"
#include "remote/preflight/preflight.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr int kHosts = 3;

/// The first row of that name; an empty one when there is none.
CheckRow rowOf(const HostReport& report, const QString& check)
{
    for (const CheckRow& row : report.rows) {
        if (row.check == check)
            return row;
    }
    return {};
}

/// "node1 → node3: refused (10.77.0.3)" of every link that fails.
QStringList badLinks(const PreflightReport& report)
{
    QStringList links;
    for (const HostReport& host : report.hosts) {
        for (const LinkRow& link : host.links) {
            if (link.verdict == Verdict::Fail)
                links << QString("%1 → %2%3: %4")
                             .arg(link.from, link.to, link.way == LinkRow::Way::Ssh ? ", ssh" : "",
                                  link.found);
        }
    }
    return links;
}

/// A program whose first `from` is written as `to`, of the same length: its needs are what tests tell.
std::string programWith(const QByteArray& from, const QByteArray& to)
{
    QByteArray bytes = QByteArray::fromStdString(readFile("/usr/bin/env").value());
    TRAINYARD_CHECK(bytes.contains(from) && from.size() == to.size());
    return bytes.replace(bytes.indexOf(from), from.size(), to).toStdString();
}

} // namespace

/// What a preflight must find before anything is sent or started, on hosts where it is really so.
class TestPreflightFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{kHosts, "256m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        qputenv("TRAINYARD_DATA", m_dir.filePath("desk").toUtf8());
    }
    void init() { m_pool = std::make_unique<TargetPool>(m_lab->targetOptions()); }
    void cleanup()
    {
        m_pool.reset();
        for (int i = 0; m_lab && i < kHosts; ++i)
            host(i).run({"rm", "-f", "/root/.bashrc"});
    }
    void cleanupTestCase()
    {
        m_pool.reset();
        m_lab.reset();
    }

    void f37_readOnlyNoexecAndNoPermission()
    {
        FaultReport fault(
            37, "read-only, noexec, no permission",
            "the agent takes another folder and says so; none left: the check fails, with the fix");
        const QString folder = "/root/.trainyard";
        const auto found = [&] { return rowOf(look({0}).hosts[0], "home"); };
        const auto expectOtherFolder = [&](const QString& how) {
            const CheckRow home = found();
            QCOMPARE(home.verdict, Verdict::Warn);
            QVERIFY2(home.found.contains("/var/tmp/trainyard-0"), qPrintable(home.found));
            QVERIFY2(home.fix.contains("TRAINYARD_HOME"), qPrintable(home.fix));
            fault.observed(how + ": " + home.found);
        };
        for (const char* options : {"size=16m,noexec", "size=16m,ro"}) {
            mount(folder, options);
            QVERIFY(!host(0)
                         .run({"sh", "-c",
                               "echo 'exit 0' > /root/.trainyard/x && chmod +x /root/.trainyard/x && "
                               "/root/.trainyard/x"})
                         .ok());
            fault.injected(QString("%1 mounted with %2").arg(folder, options));
            expectOtherFolder(options);
            unmount(folder);
        }
        QVERIFY(host(0).run({"sh", "-c", "rm -rf /root/.trainyard && touch /root/.trainyard"}).ok());
        fault.injected(folder + " is a file");
        expectOtherFolder("a file in the way");

        mount("/var/tmp", "size=16m,noexec");
        fault.injected("/var/tmp without programs as well");
        const HostReport none = look({0}).hosts[0];
        QCOMPARE(none.worst(), Verdict::Fail);
        QVERIFY2(none.rows[0].found.contains("no folder where the agent can be stored and started"),
                 qPrintable(none.rows[0].found));
        QVERIFY2(none.rows[0].fix.contains("TRAINYARD_HOME"), qPrintable(none.rows[0].fix));
        fault.observed("no folder: " + none.rows[0].found);
        unmount("/var/tmp");
        QVERIFY(host(0).run({"rm", "-rf", "/root/.trainyard", "/var/tmp/trainyard-0"}).ok());
    }

    void f48_limitsOfDescriptorsAndProcesses()
    {
        FaultReport fault(48, "limits of descriptors and processes",
                          "rows that fail with the fix; never a crash");
        login(0, "ulimit -n 32; ulimit -u 20");
        QCOMPARE(host(0).run({"bash", "-c", ". /root/.bashrc; ulimit -n; ulimit -u"}).output.simplified(),
                 QByteArray("32 20"));
        fault.injected("ulimit -n 32, ulimit -u 20 in the start-up file of the shell");
        const HostReport report = look({0}).hosts[0];
        QCOMPARE(rowOf(report, "open files").verdict, Verdict::Fail);
        QCOMPARE(rowOf(report, "open files").found, QString("32"));
        QCOMPARE(rowOf(report, "processes").found, QString("unlimited")); // for root, which logs in here
        fault.observed("open files: " + rowOf(report, "open files").found +
                       ", processes: " + rowOf(report, "processes").found);
        m_pool->forget(host(0).address());

        const ControlGroup group("/sys/fs/cgroup/pids/trainyard-preflight-%1");
        if (!group.exists()) {
            fault.observed(
                "no control group of processes can be made here; only the limits of the user were tried");
            return;
        }
        for (const int most : {60, 6}) {
            QVERIFY(group.set("pids.max", QByteArray::number(most)));
            login(0, "echo $$ > " + group.path() + "/cgroup.procs");
            fault.injected(QString("a control group with pids.max %1").arg(most));
            const CheckRow row = rowOf(look({0}).hosts[0], "tasks of the session");
            QCOMPARE(row.verdict, Verdict::Fail);
            QVERIFY2(row.found.endsWith(QString("of %1 left").arg(most)), qPrintable(row.found));
            QVERIFY(row.fix.contains("TasksMax"));
            fault.observed("tasks of the session: " + row.found);
        }
        QVERIFY(group.set("pids.max", "1"));
        m_pool->forget(host(0).address());
        AWAIT_EQUAL(group.processes(), 0);
        fault.injected("a control group with pids.max 1: the shell cannot start anything");
        const CheckRow first = look({0}).hosts[0].rows.value(0);
        QCOMPARE(first.verdict, Verdict::Fail);
        QVERIFY2(!first.found.isEmpty() && !first.fix.isEmpty(), qPrintable(first.found));
        fault.observed(first.check + ": " + first.found);
        host(0).run({"rm", "-f", "/root/.bashrc"});
        AWAIT_EQUAL(group.processes(), 0);
    }

    void f54_missingLibraryOldGlibcWrongDriver()
    {
        FaultReport fault(54, "missing library, old glibc, wrong driver",
                          "named by the preflight; nothing was sent");
        const std::filesystem::path folder = m_dir.filePath("bundle").toStdString();
        support::writeBundle(folder, {{"bin/trainyard-worker", programWith("GLIBC_2.34", "GLIBC_2.99"), true},
                                      {"bin/trainyard-prepare", programWith("libc.so.6", "libq.so.6"), true},
                                      {"lib/libcudart.so.13", "text", false},
                                      {"lib/libtrainyard_cuda.so", "text", false, true}});
        qputenv("TRAINYARD_BUNDLE", m_dir.filePath("bundle").toUtf8());
        fault.injected("a bundle with programs that need GLIBC_2.99 and libq.so.6");
        QVERIFY(host(0).run({"mkdir", "-p", "/root/bin"}).ok());
        QVERIFY(host(0)
                    .run({"sh", "-c", "cat > /root/bin/nvidia-smi; chmod +x /root/bin/nvidia-smi"},
                         "#!/bin/sh\necho '0, NVIDIA H200, GPU-1, 470.57.02, 9.0, 143771, 4, 0'\n")
                    .ok());
        login(0, "PATH=/root/bin:$PATH");
        fault.injected("an nvidia-smi that tells of driver 470.57.02, for a bundle with CUDA 13");

        PreflightOptions options;
        options.links = false;
        const PreflightReport report = look({0}, options);
        const CheckRow libraries = rowOf(report.hosts[0], "libraries");
        QVERIFY2(libraries.found.contains("libc.so.6 lacks GLIBC_2.99"), qPrintable(libraries.found));
        QVERIFY2(libraries.found.contains("libq.so.6 is missing"), qPrintable(libraries.found));
        QVERIFY2(libraries.fix.contains("needs glibc 2.99"), qPrintable(libraries.fix));
        const CheckRow driver = rowOf(report.hosts[0], "driver");
        QCOMPARE(driver.verdict, Verdict::Fail);
        QVERIFY2(driver.fix.contains("CUDA 13, which needs driver 580.65.06"), qPrintable(driver.fix));
        fault.observed(libraries.found + "; driver " + driver.found);

        RunService service(*m_pool);
        const Error error = launchOn(service, {host(0).address()});
        QCOMPARE(error.kind, ErrorKind::Refused);
        QVERIFY2(error.message.find("GLIBC_2.99") != std::string::npos, error.text().c_str());
        const QString root = host(0).path(report.hosts[0].facts.link.agent.root);
        QVERIFY(QDir(root).exists());
        QVERIFY2(host(0).run({"du", "-sk", report.hosts[0].facts.link.agent.root + "/agents"}).ok(),
                 "no agents folder");
        for (const QString& entry : QDir(root).entryList(QDir::AllEntries | QDir::NoDotAndDotDot))
            QVERIFY2(entry == "agents", qPrintable(entry)); // neither blobs nor bundles nor runs
        fault.observed("the launch was refused before the upload");
        qunsetenv("TRAINYARD_BUNDLE");
    }

    void f55_sameNameWrongInterfaceBlockedPort()
    {
        FaultReport fault(55, "same host name twice, wrong interface, blocked port",
                          "the launch is refused with the list of pairs; a network that works is found");
        const QString network = host(0).address().section('.', 0, 2) + ".0/24";
        QVERIFY(host(1).run({"hostname", "node1"}).ok());
        fault.injected("node2 calls itself node1");
        PreflightReport report = look({0, 1, 2});
        for (const int twin : {0, 1}) {
            QCOMPARE(rowOf(report.hosts[twin], "host name").verdict, Verdict::Fail);
            QVERIFY(rowOf(report.hosts[twin], "host name").found.contains(host(1 - twin).address()));
        }
        QCOMPARE(rowOf(report.hosts[2], "host name").verdict, Verdict::Ok);
        fault.observed("host name: " + rowOf(report.hosts[0], "host name").found);
        QVERIFY(host(1).run({"hostname", "node2"}).ok());

        // A second network that all hosts have and that leads nowhere, as the bridge of a container runtime
        // does.
        for (int i = 0; i < kHosts; ++i) {
            QVERIFY(host(i).run({"ip", "link", "add", "fab0", "type", "bridge"}).ok());
            QVERIFY(
                host(i).run({"ip", "addr", "add", QString("172.31.5.%1/24").arg(i + 1), "dev", "fab0"}).ok());
            QVERIFY(host(i).run({"ip", "link", "set", "fab0", "up"}).ok());
        }
        fault.injected("an interface on every host whose network connects none of them");
        report = look({0, 1, 2});
        QVERIFY2(report.judge().ok(), report.judge().ok() ? "" : report.judge().error().text().c_str());
        QCOMPARE(report.interface, network);
        fault.observed("of two networks the one that works is taken: " + report.interface);

        block(2, "tcp dport != 22 drop");
        fault.injected("node3 drops TCP except port 22");
        QElapsedTimer timer;
        timer.start();
        report = look({0, 1, 2});
        const QStringList dropped = badLinks(report);
        QCOMPARE(dropped.size(), 2);
        for (const int from : {0, 1})
            QVERIFY2(dropped[from].startsWith(
                         QString("%1 → %2: no answer").arg(host(from).address(), host(2).address())),
                     qPrintable(dropped[from]));
        const Status refusal = report.judge();
        QCOMPARE(refusal.error().kind, ErrorKind::Refused);
        for (const QString& link : dropped)
            QVERIFY2(refusal.error().message.find(link.toStdString()) != std::string::npos,
                     refusal.error().text().c_str());
        QVERIFY2(refusal.error().hint.find("allow connections to every TCP port of " +
                                           host(2).address().toStdString()) != std::string::npos,
                 refusal.error().hint.c_str());
        fault.observed(
            QString("%1 (%2 s)").arg(dropped.join("; ")).arg(double(timer.elapsed()) / 1000, 0, 'f', 1));

        block(2, "tcp dport != 22 reject with tcp reset");
        fault.injected("node3 resets TCP except port 22");
        const QStringList reset = badLinks(look({0, 1, 2}));
        QCOMPARE(reset.size(), 2);
        QVERIFY2(reset[0].contains(": refused"), qPrintable(reset[0]));
        unblock(2);
        for (int i = 0; i < kHosts; ++i)
            host(i).run({"ip", "link", "del", "fab0"});
    }

    /// As f55 for the way of mpirun: from the head to the others without a question.
    void f55_headThatCannotLogIn()
    {
        FaultReport fault(55, "same host name twice, wrong interface, blocked port",
                          "the launch is refused with the list of pairs; a network that works is found");
        QVERIFY(QFile::rename(host(0).path("/root/.ssh/id_ed25519"), host(0).path("/root/.ssh/away")));
        fault.injected("the head has no key");
        QStringList bad = badLinks(look({0, 1, 2}));
        QCOMPARE(bad.size(), 2);
        QVERIFY2(bad[0].contains(", ssh: ") && bad[0].contains("Permission denied"), qPrintable(bad[0]));
        fault.observed(bad.join("; "));
        QVERIFY(QFile::rename(host(0).path("/root/.ssh/away"), host(0).path("/root/.ssh/id_ed25519")));

        login(1, "PATH=/nowhere");
        fault.injected("no PATH to OpenMPI in the shell of node2");
        PreflightOptions options;
        options.engine = {};
        bad = badLinks(look({0, 2, 1}, options)).filter(", ssh: ");
        QCOMPARE(bad.size(), 1);
        QVERIFY2(bad[0].startsWith(QString("%1 → %2").arg(host(0).address(), host(1).address())) &&
                     bad[0].contains("orted"),
                 qPrintable(bad[0]));
        fault.observed(bad[0]);
    }

    void f57_logoutKillsProcesses()
    {
        const ControlGroup session("/sys/fs/cgroup/unified/trainyard-session-%1");
        const ControlGroup scope("/sys/fs/cgroup/unified/trainyard-scope-%1");
        if (!session.exists() || !QFile::exists(session.path() + "/cgroup.kill"))
            QSKIP("this machine has no control groups of version 2 at /sys/fs/cgroup/unified");
        FaultReport fault(57, "logout kills processes",
                          "told by the preflight; with a scope the run goes on");
        QVERIFY(host(0)
                    .run({"mkdir", "-p", "/run/systemd/seats", "/run/systemd/logind.conf.d", "/root/bin"})
                    .ok());
        QVERIFY(host(0)
                    .run({"sh", "-c", "cat > /run/systemd/logind.conf.d/kill.conf"},
                         "[Login]\nKillUserProcesses=yes\nKillExcludeUsers=\n")
                    .ok());
        mount("/var/lib/systemd", "size=1m");
        login(0, "echo $$ > " + session.path() + "/cgroup.procs; PATH=/root/bin:$PATH");
        fault.injected("logind of node1 kills the processes of a session");
        CheckRow row = rowOf(look({0}).hosts[0], "after logout");
        QCOMPARE(row.verdict, Verdict::Fail);
        QVERIFY2(row.fix.contains("enable-linger") || row.fix.contains("KillUserProcesses"),
                 qPrintable(row.fix));
        fault.observed("preflight: " + row.found + " — " + row.fix);

        // As systemd-run puts a program into a scope of the user's own manager.
        QVERIFY(host(0)
                    .run({"sh", "-c", "cat > /root/bin/systemd-run; chmod +x /root/bin/systemd-run"},
                         "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done; shift\necho $$ > " +
                             scope.path().toUtf8() + "/cgroup.procs\nexec \"$@\"\n")
                    .ok());
        QVERIFY(host(0)
                    .run({"sh", "-c", "mkdir -p /var/lib/systemd/linger; touch /var/lib/systemd/linger/root"})
                    .ok());
        m_pool->forget(host(0).address());
        row = rowOf(look({0}).hosts[0], "after logout");
        QVERIFY2(row.verdict == Verdict::Ok, qPrintable(row.found));

        const QString run = startJob();
        QVERIFY(!run.isEmpty());
        AWAIT(scope.processes() >= 2); // the supervisor and its program
        const int before = session.processes();
        QVERIFY(before > 0);
        QVERIFY(session.set("cgroup.kill", "1"));
        AWAIT_EQUAL(session.processes(), 0);
        fault.injected(QString("the session was killed, %1 processes in all").arg(before));
        QVERIFY(scope.processes() >= 2);
        Target& target = m_pool->target(host(0).address());
        // The first calls may still go to the link that was killed.
        AWAIT(target.state() == Target::State::Ready &&
              call(target, {{"op", "runs"}}).value("runs")[0]["live"].toBool());
        fault.observed("the run is at work after the session's end");
        QVERIFY(call(target, {{"op", "stop"}, {"run", run}, {"grace_ms", 0}}).value("clean").toBool());
        AWAIT_EQUAL(scope.processes(), 0);
        unmount("/var/lib/systemd");
        host(0).run({"rm", "-rf", "/run/systemd"});
    }

private:
    /// A control group of this machine, gone with the test; its processes are those of a lab host.
    class ControlGroup {
    public:
        explicit ControlGroup(const QString& pattern)
            : m_path(pattern.arg(QCoreApplication::applicationPid()))
        {
            QDir().mkdir(m_path);
        }
        ~ControlGroup() { QDir().rmdir(m_path); }
        Q_DISABLE_COPY(ControlGroup)

        QString path() const { return m_path; }
        bool exists() const { return QFile::exists(m_path + "/cgroup.procs"); }
        bool set(const QString& file, const QByteArray& value) const
        {
            QFile out(m_path + '/' + file);
            return out.open(QIODevice::WriteOnly | QIODevice::Unbuffered) && out.write(value) == value.size();
        }
        int processes() const
        {
            QFile in(m_path + "/cgroup.procs");
            return in.open(QIODevice::ReadOnly) ? static_cast<int>(in.readAll().count('\n')) : -1;
        }

    private:
        QString m_path;
    };

    lab::LabHost& host(int index) const { return m_lab->host(index); }

    void mount(const QString& folder, const QString& options)
    {
        const QString trouble = host(0).mountDisk(folder, options);
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_pool->forget(host(0).address());
    }
    void unmount(const QString& folder)
    {
        const QString trouble = host(0).unmountDisk(folder);
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_pool->forget(host(0).address());
    }
    /// What every shell of that host does first, also those that sshd starts for a command.
    void login(int index, const QString& commands)
    {
        QVERIFY(host(index).run({"sh", "-c", "cat > /root/.bashrc"}, commands.toUtf8() + '\n').ok());
        m_pool->forget(host(index).address());
    }

    void block(int index, const QByteArray& rule)
    {
        unblock(index);
        const lab::Finished blocked = host(index).run(
            {"nft", "-f", "-"}, "table inet faults {\n chain input {\n  type filter hook input priority "
                                "0;\n  iifname \"eth0\" ct state established accept\n  iifname \"eth0\" " +
                                    rule + "\n }\n}\n");
        QVERIFY2(blocked.ok(), blocked.errors.constData());
    }
    void unblock(int index) { host(index).run({"nft", "delete", "table", "inet", "faults"}); }

    PreflightReport look(const QList<int>& indices)
    {
        PreflightOptions options;
        options.engine = {};
        options.streaming = std::chrono::milliseconds(50);
        return look(indices, options);
    }
    PreflightReport look(const QList<int>& indices, const PreflightOptions& options)
    {
        QStringList names;
        for (const int index : indices)
            names << host(index).address();
        Preflight preflight(names, *m_pool, options);
        QSignalSpy finished(&preflight, &Preflight::finished);
        preflight.start();
        [&] { AWAIT_EQUAL(finished.size(), 1); }();
        return finished.value(0).value(0).value<PreflightReport>();
    }

    static QJsonObject call(Target& target, const QJsonObject& request)
    {
        std::optional<Result<QJsonObject>> answer;
        target.call(request, [&](const Result<QJsonObject>& reply) { answer.emplace(reply); });
        [&] { AWAIT(answer.has_value()); }();
        return answer && answer->ok() ? **answer : QJsonObject();
    }

    static Error launchOn(RunService& service, const QStringList& hosts)
    {
        RunSpec spec;
        spec.name = "preflight";
        spec.cluster.nodes.clear();
        for (const QString& host : hosts)
            spec.cluster.nodes.push_back({host.toStdString(), 1, 0});
        spec.layout.data = static_cast<int>(hosts.size());
        spec.dataset.path = "/root/data";
        std::optional<Error> error;
        RunOperation* operation = service.launch(spec);
        connect(operation, &RunOperation::finished, operation, [&](const Result<QString>& result) {
            error = result.ok() ? Error{ErrorKind::Failed, "it started", {}} : result.error();
        });
        [&] { AWAIT(error.has_value()); }();
        return error.value_or(Error());
    }

    /// A data job on the first host that does nothing for minutes.
    QString startJob()
    {
        const std::filesystem::path folder = m_dir.filePath("job").toStdString();
        support::writeBundle(folder, {{"bin/trainyard-prepare", "#!/bin/sh\nexec sleep 600\n", true}});
        const Bundle bundle = Bundle::load(folder, TRAINYARD_VERSION).value();
        Target& target = m_pool->target(host(0).address());
        Deployer deployer(bundle, {&target});
        QSignalSpy deployed(&deployer, &Deployer::finished);
        deployer.start();
        [&] { AWAIT_EQUAL(deployed.size(), 1); }();
        const QString run = "20260101-000000-job-0000";
        const QJsonObject job{{"name", "job"}, {"command", "prepare"}, {"arguments", QJsonArray()}};
        call(target, {{"op", "create-run"},
                      {"run", run},
                      {"kind", "prepare"},
                      {"job", job},
                      {"inventory", QJsonObject()},
                      {"node", 0}});
        const QJsonObject started =
            call(target, {{"op", "launch"},
                          {"run", run},
                          {"attempt", 1},
                          {"bundle", QString::fromStdString(bundle.id)},
                          {"nodes", QJsonArray{QJsonObject{{"host", "node1"}, {"slots", 1}}}}});
        return started.value("started").toBool() ? run : QString();
    }

    QTemporaryDir m_dir;
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
};

QTEST_GUILESS_MAIN(TestPreflightFaults)
#include "tst_preflight_faults.moc"
